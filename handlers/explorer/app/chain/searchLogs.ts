import { call } from '../rpc/client.ts'
import type { Hex, RpcLog } from '../rpc/types.ts'
import { quantity } from './blocks.ts'

/** `null` matches every value, a list each of its values. */
export type LogFilter = {
  readonly address?: Hex
  readonly topics?: readonly (Hex | readonly Hex[] | null)[]
}

export type FoundLogs = {
  /** The latest first. */
  readonly logs: readonly RpcLog[]
  /** First block that was searched. */
  readonly from: bigint
}

/** Blocks of the first request; each further one covers twice as many. */
const FIRST_BLOCKS = 64n
/** Blocks that are searched in all: what a node allows in one request by default. */
const BLOCKS_MAX = 5_000n

/**
 * Searches backwards from a block until `wanted` logs of any of the filters are found. Begins with few blocks, so that an
 * address with very many logs is answered soon.
 */
export const searchLogs = async (
  filters: readonly LogFilter[],
  last: bigint,
  wanted: number,
): Promise<FoundLogs> => {
  const end = last >= BLOCKS_MAX ? last - BLOCKS_MAX + 1n : 0n
  const found = new Map<string, RpcLog>()
  let to = last
  let blocks = FIRST_BLOCKS
  for (;;) {
    const from = to - blocks + 1n > end ? to - blocks + 1n : end
    const range = { fromBlock: quantity(from), toBlock: quantity(to) }
    const answers = await Promise.all(
      filters.map(filter => call<readonly RpcLog[]>('eth_getLogs', { ...filter, ...range })),
    )
    for (const log of answers.flat()) found.set(`${log.transactionHash} ${log.logIndex}`, log)
    if (found.size >= wanted || from === end)
      return { from, logs: [...found.values()].sort(byPlace).slice(0, wanted) }
    to = from - 1n
    blocks *= 2n
  }
}

const byPlace = (a: RpcLog, b: RpcLog): number =>
  Number(BigInt(b.blockNumber) - BigInt(a.blockNumber)) || Number(BigInt(b.logIndex) - BigInt(a.logIndex))
