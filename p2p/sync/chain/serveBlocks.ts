import type { Chain } from '../../../core/chain/chain.ts'
import { ifKept } from './ifKept.ts'
import { RANGE_BLOCKS_MAX } from '../../blocks/ranges.ts'
import type { CreateYield } from '../../../core/scheduler.ts'

/**
 * The block RLPs of [from, from + count), up to the head; none of blocks that this node has removed. @throws StoreCorruption
 */
export const createServeBlocks = ({ store }: Chain, createYield: CreateYield) =>
  async function* serveBlocks(from: bigint, count: number): AsyncGenerator<Uint8Array> {
    const yieldTurn = createYield()
    const end = from + BigInt(Math.min(count, RANGE_BLOCKS_MAX))
    for (let number = from; number < end; number++) {
      const bytes = await ifKept(() => store.blockBytes(number))
      if (bytes === undefined) return
      yield bytes
      await yieldTurn()
    }
  }
