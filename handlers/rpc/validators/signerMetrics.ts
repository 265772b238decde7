import { toHex, toQuantity } from '../../../core/bytes/hex.ts'
import type { RpcContext } from '../context.ts'
import { RpcError } from '../errors.ts'
import type { Call, Params } from '../method.ts'
import { blockNumberOf, numberSelectorOf } from '../parameters/block.ts'
import { given } from '../parameters/values.ts'

/** Length of Besu's default range, which ends at the head. */
const DEFAULT_BLOCKS = 100n

type Metric = { blocks: number; last: bigint }

/** The block number of a parameter, which may be above the head; undefined if it is missing. @throws RpcError */
const numberAt = async (context: RpcContext, params: Params, index: number): Promise<bigint | undefined> => {
  const value = given(params, index)
  if (value === undefined) return undefined
  const selector = numberSelectorOf(value)
  if (selector?.kind === 'number') return selector.number
  if (selector?.kind !== 'tag') throw new RpcError('INVALID_BLOCK_NUMBER')
  return await blockNumberOf(context, selector)
}

/**
 * Number of blocks that each validator proposed from `from` (inclusive) to `to` (exclusive), by default in the last hundred
 * blocks before the head. As in Besu, includes the validators after the last block that proposed none. Ordered by the first
 * proposal; validators without a proposal are last. @throws RpcError
 */
export const signerMetrics = async (
  { params, expired }: Call,
  context: RpcContext,
): Promise<readonly object[]> => {
  const { chain, scheduler } = context
  const head = chain.head().header.number
  const from = (await numberAt(context, params, 0)) ?? (head > DEFAULT_BLOCKS ? head - DEFAULT_BLOCKS : 0n)
  const end = (await numberAt(context, params, 1)) ?? head
  const to = end < head ? end : head
  if (from >= to)
    throw new RpcError('INVALID_BLOCK_NUMBER', { data: `fromBlock ${from} is not below toBlock ${to}` })
  const yieldTurn = scheduler.createYield()
  const metrics = new Map<string, Metric>()
  for (let number = from; number < to && !expired(); number++) {
    const header = await chain.store.header(number)
    if (header === undefined) continue
    const proposer = toHex(header.coinbase)
    metrics.set(proposer, { blocks: (metrics.get(proposer)?.blocks ?? 0) + 1, last: number })
    await yieldTurn()
  }
  for (const validator of (await chain.validators(to)).map(toHex))
    if (!metrics.has(validator)) metrics.set(validator, { blocks: 0, last: 0n })
  return [...metrics].map(([address, { blocks, last }]) => ({
    address,
    proposedBlockCount: toQuantity(blocks),
    lastProposedBlockNumber: toQuantity(last),
  }))
}
