import type { Chain } from '../../../core/chain/chain.ts'
import type { CreateYield } from '../../yieldTurn.ts'

/** Blocks given for one request; the network ends an answer at its byte limit before this with any but empty ones. */
const SERVED_BLOCKS_MAX = 1_024

/** The block RLPs of [from, from + count), as many from the start as are on the chain. @throws StoreCorruption */
export const createServeBlocks = ({ store }: Chain, createYield: CreateYield) =>
  async function* serveBlocks(from: bigint, count: number): AsyncGenerator<Uint8Array> {
    const pause = createYield()
    const end = from + BigInt(Math.min(count, SERVED_BLOCKS_MAX))
    for (let number = from; number < end; number++) {
      const bytes = await store.blockBytes(number)
      if (bytes === undefined) return
      yield bytes
      await pause()
    }
  }
