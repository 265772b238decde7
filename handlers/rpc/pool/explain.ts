import type { Hash } from '../../../core/bytes/bytes.ts'
import { overdueSeconds } from '../../../core/chain/execution/overdueBlock.ts'
import type { RpcContext } from '../context.ts'
import { nextHeadOf } from '../fees/nextHead.ts'

/** The reason why the chain or this node does not produce the next block; empty if there is none. */
const explainBlocks = async (context: RpcContext, addedAtMs: number): Promise<string> => {
  const { consensus } = context.chain.configuration
  if (consensus.kind !== 'qbft') return ', but no blocks are produced: this chain is not QBFT'
  const syncing = context.syncing()
  if (syncing !== undefined)
    return `, but this node is at block ${syncing.currentBlock} of ${syncing.highestBlock} and does not have the next one yet`
  const overdue = overdueSeconds(consensus, context.chain.head().header, {
    sinceMs: addedAtMs,
    nowMs: context.nowMs(),
    pendingSinceMs: addedAtMs,
  })
  const round = context.round?.()
  if (overdue !== undefined)
    return `, but no block has come for ${overdue} s${round === undefined ? '' : ` (round ${round})`}: a quorum of validators must run and be connected`
  if (await context.mining()) return ''
  if (context.network?.peerCount() === 0) return ', but this node produces no blocks and has no peers'
  return ' as far as this node knows: it produces no blocks itself, and a validator may require a higher price'
}

/** One sentence that explains why a pooled transaction is not in a block yet; undefined if it is not pooled. */
export const explainPooled = async (hash: Hash, context: RpcContext): Promise<string | undefined> => {
  const { chain, pool } = context
  const head = nextHeadOf(context)
  const explanation = await chain.store.run(() => pool.explain(hash, head))
  if (explanation === undefined) return undefined
  if (!explanation.ready) return explanation.text
  return explanation.text + (await explainBlocks(context, pool.get(hash)?.addedAtMs ?? 0))
}
