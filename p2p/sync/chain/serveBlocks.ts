import type { Chain } from '../../../core/chain/chain.ts'
import type { CreateYield } from '../../yieldTurn.ts'

/** Blocks of one answer. Only with empty blocks is this reached before the byte limit of the network. */
const SERVED_BLOCKS_MAX = 1_024

/** The block RLPs of [from, from + count), up to the head. @throws StoreCorruption */
export const createServeBlocks = ({ store }: Chain, createYield: CreateYield) =>
  async function* serveBlocks(from: bigint, count: number): AsyncGenerator<Uint8Array> {
    const yieldTurn = createYield()
    const end = from + BigInt(Math.min(count, SERVED_BLOCKS_MAX))
    for (let number = from; number < end; number++) {
      const bytes = await store.blockBytes(number)
      if (bytes === undefined) return
      yield bytes
      await yieldTurn()
    }
  }
