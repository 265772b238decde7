import { keccak256 } from '../../crypto/crypto.ts'
import type { Log } from '../receipt.ts'

export const BLOOM_BYTES = 256

/** Sets the three bits of `entry` (Yellow Paper, M3:2048). */
const addEntry = (bloom: Uint8Array, entry: Uint8Array): void => {
  const hash = keccak256(entry)
  for (let pair = 0; pair < 6; pair += 2) {
    const bit = (((hash[pair] as number) & 7) << 8) | (hash[pair + 1] as number)
    const index = BLOOM_BYTES - 1 - (bit >> 3)
    bloom[index] = (bloom[index] as number) | (1 << (bit & 7))
  }
}

/** The 256-byte filter over the addresses and topics of the logs. */
export const logsBloom = (logs: readonly Log[]): Uint8Array => {
  const bloom = new Uint8Array(BLOOM_BYTES)
  for (const log of logs) {
    addEntry(bloom, log.address)
    for (const topic of log.topics) addEntry(bloom, topic)
  }
  return bloom
}

/** The union of `blooms`, for example a block's bloom from those of its receipts. */
export const joinBlooms = (blooms: Iterable<Uint8Array>): Uint8Array => {
  const joined = new Uint8Array(BLOOM_BYTES)
  for (const bloom of blooms)
    for (let i = 0; i < BLOOM_BYTES; i++) joined[i] = (joined[i] as number) | (bloom[i] as number)
  return joined
}
