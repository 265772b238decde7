import { call } from '../rpc/client.ts'
import { head, rewinds } from '../rpc/heads.ts'
import type { RpcBlock } from '../rpc/types.ts'

/** Blocks kept, with the hashes of their transactions: some more than the charts and the grid show. */
const KEPT_MAX = 160

const kept = new Map<bigint, Promise<RpcBlock | undefined>>()
rewinds.watch(() => kept.clear())

export const quantity = (value: bigint | number): string => `0x${BigInt(value).toString(16)}`

const loadBlock = async (number: bigint): Promise<RpcBlock | undefined> => {
  try {
    return (await call<RpcBlock | null>('eth_getBlockByNumber', quantity(number), false)) ?? undefined
  } catch (error) {
    kept.delete(number)
    throw error
  }
}

const blockAt = (number: bigint): Promise<RpcBlock | undefined> => {
  const found = kept.get(number)
  // The least recently used one is dropped first.
  kept.delete(number)
  const loading = found ?? loadBlock(number)
  if (kept.size >= KEPT_MAX) kept.delete(kept.keys().next().value as bigint)
  kept.set(number, loading)
  return loading
}

/** The `count` blocks up to `last`, the latest first. A reader may not have the oldest ones. */
export const blocksUpTo = async (last: bigint, count: number): Promise<readonly RpcBlock[]> => {
  const numbers: bigint[] = []
  for (let number = last; number >= 0n && numbers.length < count; number--) numbers.push(number)
  const blocks = await Promise.all(numbers.map(blockAt))
  const found = blocks.filter(block => block !== undefined)
  // The development chain went back and has other blocks at these heights.
  const isBroken = found.some((block, index) => {
    const parent = found[index + 1]
    return (
      parent !== undefined &&
      BigInt(parent.number) + 1n === BigInt(block.number) &&
      block.parentHash !== parent.hash
    )
  })
  if (!isBroken) return found
  kept.clear()
  return (await Promise.all(numbers.map(blockAt))).filter(block => block !== undefined)
}

/** Seconds between a block and its parent. */
export const intervalOf = (block: RpcBlock<unknown>, parent: RpcBlock<unknown>): number =>
  Number(BigInt(block.timestamp) - BigInt(parent.timestamp))

export const headNumber = (): bigint => head.get() ?? 0n
