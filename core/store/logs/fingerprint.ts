import type { Receipt } from '../../block/receipt.ts'
import type { Steps } from '../../steps.ts'

/** Positions of values in a log; the topics follow the address in order. */
export const ADDRESS_POSITION = 0
export const TOPIC_POSITION = 1

/** The position of the fingerprint that every block with a log has. */
const ANY_LOG_POSITION = 255

const LANE = 0x9e3779b1

/**
 * A 32-bit fingerprint of a value and its position in a log. Different values have the same fingerprint by chance in one of
 * four billion cases; a deliberate collision only makes searches for these values slower.
 */
export const logFingerprint = (position: number, value: Uint8Array): number => {
  let bits = Math.imul(position + 1, LANE)
  for (let at = 0; at < value.length; at += 4) {
    const word =
      (value[at] as number) |
      ((value[at + 1] as number) << 8) |
      ((value[at + 2] as number) << 16) |
      ((value[at + 3] as number) << 24)
    bits = Math.imul(bits ^ word, LANE)
    bits = (bits << 13) | (bits >>> 19)
  }
  bits = Math.imul(bits ^ (bits >>> 16), 0x85ebca6b)
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35)
  return (bits ^ (bits >>> 16)) >>> 0
}

export const ANY_LOG_FINGERPRINT = logFingerprint(ANY_LOG_POSITION, new Uint8Array(0))

/** Fingerprints computed, or moved by a pass of the sort, between two yields: about a millisecond. */
const FINGERPRINTS_AT_ONCE = 32_768

const RADIX_BITS = 8

/** Sorts in place by radix, one byte per pass: the time depends only on the number of values. Yields within a pass. */
function* sortSteps(values: Uint32Array): Steps<void> {
  if (values.length <= FINGERPRINTS_AT_ONCE) {
    values.sort()
    return
  }
  let from: Uint32Array = values
  let to: Uint32Array = new Uint32Array(values.length)
  for (let shift = 0; shift < 32; shift += RADIX_BITS) {
    const next = new Uint32Array(1 << RADIX_BITS)
    for (let i = 0; i < from.length; i++) {
      const digit = ((from[i] as number) >>> shift) & 255
      if (digit < 255) next[digit + 1] = (next[digit + 1] as number) + 1
      if (i % FINGERPRINTS_AT_ONCE === FINGERPRINTS_AT_ONCE - 1) yield
    }
    for (let digit = 1; digit < next.length; digit++)
      next[digit] = (next[digit] as number) + (next[digit - 1] as number)
    for (let i = 0; i < from.length; i++) {
      const value = from[i] as number
      const digit = (value >>> shift) & 255
      const place = next[digit] as number
      next[digit] = place + 1
      to[place] = value
      if (i % FINGERPRINTS_AT_ONCE === FINGERPRINTS_AT_ONCE - 1) yield
    }
    ;[from, to] = [to, from]
  }
}

/** The distinct fingerprints of all values in the logs of one block, ascending. Yields every FINGERPRINTS_AT_ONCE. */
export function* blockFingerprintsSteps(receipts: readonly Pick<Receipt, 'logs'>[]): Steps<Uint32Array> {
  const found: number[] = []
  // Consecutive logs are often of one contract and one event.
  const last: number[] = []
  const add = (position: number, value: Uint8Array): void => {
    const fingerprint = logFingerprint(position, value)
    if (last[position] === fingerprint) return
    last[position] = fingerprint
    found.push(fingerprint)
  }
  let sinceYield = 0
  for (const { logs } of receipts)
    for (const { address, topics } of logs) {
      add(ADDRESS_POSITION, address)
      for (let i = 0; i < topics.length; i++) add(TOPIC_POSITION + i, topics[i] as Uint8Array)
      sinceYield += 1 + topics.length
      if (sinceYield < FINGERPRINTS_AT_ONCE) continue
      sinceYield = 0
      yield
    }
  if (found.length === 0) return NO_FINGERPRINTS
  found.push(ANY_LOG_FINGERPRINT)
  const sorted = Uint32Array.from(found)
  yield* sortSteps(sorted)
  let kept = 1
  for (let i = 1; i < sorted.length; i++)
    if (sorted[i] !== sorted[i - 1]) sorted[kept++] = sorted[i] as number
  return sorted.slice(0, kept)
}

const NO_FINGERPRINTS = new Uint32Array(0)

/** Index of the first of `count` ascending numbers that is not below `wanted`. */
export const lowerBound = (count: number, at: (index: number) => number, wanted: number): number => {
  let low = 0
  let high = count
  while (low < high) {
    const middle = (low + high) >> 1
    if (at(middle) < wanted) low = middle + 1
    else high = middle
  }
  return low
}
