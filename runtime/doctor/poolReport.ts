import type { PoolHead, TransactionPool } from '../../core/txpool/pool.ts'
import type { PoolReport } from './nodeReport.ts'
import type { Refusals } from './refusals.ts'

/** Transactions whose waiting is explained; the same cause gives the same text. */
const EXPLAINED_MAX = 32

/** The reason in the sentence about one transaction: `nonce 3 waiting: its price …`. */
const reasonIn = (text: string): string =>
  text.replace(/^nonce \d+ (?:waiting(?: for nonce \d+)?|queued): /, '')

/** Reasons why pooled transactions are not in the next block. */
export const poolReportOf = (pool: TransactionPool, head: () => PoolHead, refusals: Refusals): PoolReport => {
  const { ready, queued } = pool.counts()
  const reasons = new Map<string, number>()
  const isStuck = pool.size > 0 && !pool.hasRunnable
  const asked = isStuck ? pool.list().slice(0, EXPLAINED_MAX) : []
  for (const { transaction } of asked) {
    const explanation = pool.explain(transaction.hash, head())
    if (explanation === undefined || explanation.ready) continue
    const reason = reasonIn(explanation.text)
    reasons.set(reason, (reasons.get(reason) ?? 0) + 1)
  }
  return {
    size: pool.size,
    ready,
    queued,
    hasRunnable: pool.hasRunnable,
    reasons,
    refused: refusals.recent(),
  }
}
