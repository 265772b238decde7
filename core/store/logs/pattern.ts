import type { Address, Hash } from '../../bytes/bytes.ts'
import { keccak256 } from '../../crypto/crypto.ts'
import {
  ADDRESS_POSITION,
  ANY_LOG_FINGERPRINT,
  logFingerprint,
  lowerBound,
  TOPIC_POSITION,
} from './fingerprint.ts'

/** A log matches if it has one of the addresses, and at each position one of the topics; undefined matches all values. */
export type LogQuery = {
  readonly addresses: readonly Address[] | undefined
  readonly topics: readonly (readonly Hash[] | undefined)[]
}

/** Alternative values, one of which a log must have at a position. */
type Alternatives = {
  readonly fingerprints: Uint32Array
  /** For each value, byte index and mask of its three bloom bits: six numbers in a row. */
  readonly bloomBits: Uint16Array
}

/** A block with a matching log has, for each element, one of its alternatives. */
export type LogPattern = readonly Alternatives[]

const bloomBitsOf = (values: readonly Uint8Array[]): Uint16Array => {
  const bits = new Uint16Array(6 * values.length)
  values.forEach((value, index) => {
    const hash = keccak256(value)
    for (let pair = 0; pair < 6; pair += 2) {
      const bit = (((hash[pair] as number) & 7) << 8) | (hash[pair + 1] as number)
      bits[6 * index + pair] = 255 - (bit >> 3)
      bits[6 * index + pair + 1] = 1 << (bit & 7)
    }
  })
  return bits
}

const alternatives = (position: number, values: readonly Uint8Array[]): Alternatives => ({
  fingerprints: Uint32Array.from(values, value => logFingerprint(position, value)).sort(),
  bloomBits: bloomBitsOf(values),
})

const ANY_LOG: LogPattern = [
  { fingerprints: Uint32Array.of(ANY_LOG_FINGERPRINT), bloomBits: new Uint16Array(0) },
]

export const logPattern = ({ addresses, topics }: LogQuery): LogPattern => {
  const bound: Alternatives[] = []
  if (addresses !== undefined) bound.push(alternatives(ADDRESS_POSITION, addresses))
  topics.forEach((values, index) => {
    if (values !== undefined) bound.push(alternatives(TOPIC_POSITION + index, values))
  })
  return bound.length === 0 ? ANY_LOG : bound
}

const bloomMayHoldAny = (bloom: Uint8Array, { bloomBits }: Alternatives): boolean => {
  for (let value = 0; value < bloomBits.length; value += 6) {
    let bits = 0
    while (
      bits < 6 &&
      ((bloom[bloomBits[value + bits] as number] as number) & (bloomBits[value + bits + 1] as number)) !== 0
    )
      bits += 2
    if (bits === 6) return true
  }
  return false
}

/** False when no log of the block with this bloom (M3:2048, Yellow Paper) can match. */
export const bloomMayMatch = (bloom: Uint8Array, pattern: LogPattern): boolean =>
  pattern === ANY_LOG
    ? bloom.some(byte => byte !== 0)
    : pattern.every(alternatives => bloomMayHoldAny(bloom, alternatives))

/** False when no log of the block with these fingerprints can match. */
export const fingerprintsMayMatch = (block: Uint32Array, pattern: LogPattern): boolean => {
  const at = (index: number): number => block[index] as number
  return pattern.every(({ fingerprints }) =>
    fingerprints.some(wanted => {
      const index = lowerBound(block.length, at, wanted)
      return index < block.length && at(index) === wanted
    }),
  )
}
