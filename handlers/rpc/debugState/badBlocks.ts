import type { Address } from '../../../core/bytes/bytes.ts'
import { toHex } from '../../../core/bytes/hex.ts'
import type { BadBlock } from '../../../core/chain/importing/badBlocks.ts'
import type { RpcContext } from '../context.ts'
import { blockShape } from '../shapes/block.ts'

/** A refused block, with whole transactions where all their senders can be recovered. */
const badBlockShape = async ({ recoverSenders }: RpcContext, bad: BadBlock): Promise<unknown> => {
  const { block, hash, rlp, rule, reason } = bad
  const senders = await recoverSenders(block.transactions)
  const record = { block, hash, totalDifficulty: 0n, senders: senders as readonly Address[], receipts: [] }
  const fullTransactions = !senders.includes(undefined)
  return {
    block: blockShape(record, { fullTransactions, totalDifficulty: false }),
    hash: toHex(hash),
    rlp: toHex(rlp),
    rule,
    reason,
  }
}

/** debug_getBadBlocks: the blocks that this node rejected last, with the reasons. */
export const getBadBlocks = async (context: RpcContext): Promise<unknown> => {
  const shapes: unknown[] = []
  for (const bad of context.badBlocks?.() ?? []) shapes.push(await badBlockShape(context, bad))
  return shapes
}
