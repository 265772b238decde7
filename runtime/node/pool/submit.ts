import type { Hash } from '../../../core/bytes/bytes.ts'
import type { Chain } from '../../../core/chain/chain.ts'
import type { RecoveredTransaction } from '../../../core/block/transaction.ts'
import { poolHeadOf, type PriceFloor } from '../../../core/txpool/head.ts'
import type { PoolHead, TransactionPool } from '../../../core/txpool/pool.ts'
import { type RejectionCode, TransactionRejected } from '../../../core/txpool/rejection.ts'
import type { Refusals } from '../../doctor/refusals.ts'

type Cached = {
  readonly hash: Hash
  readonly second: bigint
  readonly prices: PriceFloor
  readonly head: PoolHead
}

/** The pool's rules for the next block, cached until the head, the second or the prices change. */
export const createPoolHead = (chain: Chain, prices: () => PriceFloor): (() => PoolHead) => {
  let cached: Cached | undefined
  return () => {
    const current = prices()
    const { hash } = chain.head()
    const second = BigInt(Math.round(Date.now() / 1000))
    if (cached?.hash !== hash || cached.second !== second || cached.prices !== current)
      cached = { hash, second, prices: current, head: poolHeadOf(chain, second, current) }
    return cached.head
  }
}

export type Submit = (
  transactions: readonly RecoveredTransaction[],
) => Promise<readonly (TransactionRejected | undefined)[]>

/** The submissions in progress. Listeners are called at the end of each, before its client is answered. */
export type Submissions = { running: number; readonly ended: Set<() => void> }

export const createSubmissions = (): Submissions => ({ running: 0, ended: new Set() })

const addLocal = async (
  chain: Chain,
  pool: TransactionPool,
  poolHead: () => PoolHead,
  transactions: readonly RecoveredTransaction[],
): Promise<readonly (TransactionRejected | undefined)[]> => {
  const results: (TransactionRejected | undefined)[] = []
  for (const transaction of transactions)
    results.push(
      await chain.store.run(() => {
        try {
          pool.add(transaction, poolHead(), { local: true, addedAtMs: Date.now() })
          return undefined
        } catch (error) {
          if (error instanceof TransactionRejected) return error
          throw error
        }
      }),
    )
  return results
}

/** Adds transactions from RPC to the pool in order. Returns undefined for each accepted one. */
export const createSubmit =
  (chain: Chain, pool: TransactionPool, poolHead: () => PoolHead, submissions: Submissions): Submit =>
  async transactions => {
    submissions.running++
    try {
      return await addLocal(chain, pool, poolHead, transactions)
    } finally {
      submissions.running--
      for (const listener of submissions.ended) listener()
    }
  }

/** Refusals that the settings of this node cause; others are mistakes of the sender. */
const OPERATOR_REJECTIONS: ReadonlySet<RejectionCode> = new Set([
  'FEE_CAP_EXCEEDED',
  'GAS_PRICE_TOO_LOW',
  'NONCE_TOO_DISTANT',
  'POOL_FULL',
  'PRIORITY_FEE_TOO_LOW',
  'SENDER_LIMIT_REACHED',
  'SENDER_NOT_AUTHORIZED',
])

/** Counts the refusals that the operator can resolve. */
const withRefusalCounts =
  (submit: Submit, refusals: Pick<Refusals, 'note'>): Submit =>
  async transactions => {
    const results = await submit(transactions)
    for (const rejection of results)
      if (rejection !== undefined && OPERATOR_REJECTIONS.has(rejection.code)) refusals.note(rejection.message)
    return results
  }

export type Submission = { readonly submit: Submit; readonly submissions: Submissions }

export const createSubmission = (
  chain: Chain,
  pool: TransactionPool,
  poolHead: () => PoolHead,
  refusals: Pick<Refusals, 'note'>,
): Submission => {
  const submissions = createSubmissions()
  return {
    submit: withRefusalCounts(createSubmit(chain, pool, poolHead, submissions), refusals),
    submissions,
  }
}
