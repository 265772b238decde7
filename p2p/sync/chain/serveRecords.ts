import type { Chain } from '../../../core/chain/chain.ts'
import type { CreateYield } from '../../../core/scheduler.ts'
import { RECORDS_MAX } from '../../blocks/records.ts'
import { ifKept } from './ifKept.ts'
import { createTokenBucket } from '../../transport/tokenBucket.ts'

/** Bytes a second for all peers together: a validator's disk and processor are there for its blocks first. */
const BYTES_PER_SECOND = 32 * 1024 * 1024
const BURST_BYTES = 8 * 1024 * 1024

const delay = (ms: number): Promise<void> => new Promise(resolve => setTimeout(resolve, ms))

/**
 * The encoded records of [from, from + count), up to the head; none of blocks that this node has removed.
 * @throws StoreCorruption
 */
export const createServeRecords = ({ store }: Chain, createYield: CreateYield, nowMs: () => number) => {
  const bucket = createTokenBucket(BYTES_PER_SECOND, BURST_BYTES, nowMs)
  return async function* serveRecords(from: bigint, count: number): AsyncGenerator<Uint8Array> {
    const yieldTurn = createYield()
    const end = from + BigInt(Math.min(count, RECORDS_MAX))
    for (let number = from; number < end; number++) {
      const bytes = await ifKept(() => store.recordBytes(number))
      if (bytes === undefined) return
      const waitMs = bucket.take(bytes.length)
      if (waitMs > 0) await delay(waitMs)
      yield bytes
      await yieldTurn()
    }
  }
}
