import type { Steps } from '../steps.ts'

/** Bytes of the checksum before every stored value. */
export const CHECKSUM_BYTES = 8

const LANE_1 = 0x9e3779b1
const LANE_2 = 0x85ebca77

/** A permutation of 32 bits: each bit of the result depends on all bits (the last step of MurmurHash3). */
const spread = (bits: number): number => {
  let h = Math.imul(bits ^ (bits >>> 16), 0x85ebca6b)
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35)
  return h ^ (h >>> 16)
}

/**
 * The two lanes of the current checksum, which in the end are its halves. Module state, because a pair allocated for each
 * checksum would burden garbage collection.
 */
let half1 = 0
let half2 = 0

/**
 * Computes the checksum of a key and of the bytes from `start` on. It detects disk errors and torn writes, not attacks, so
 * two lanes of multiplications suffice, in a sixth of the time of keccak. Each step is a permutation: damage within one
 * 4-byte word is always detected, other damage is missed in one of 2^64 cases.
 */
const sum = (key: string, bytes: Uint8Array, start: number): void => {
  sumKey(key, bytes.length)
  const wordsEnd = start + 4 * Math.floor((bytes.length - start) / 4)
  sumWords(bytes, start, wordsEnd)
  endSum(bytes, wordsEnd)
}

const sumKey = (key: string, length: number): void => {
  let a = key.length
  let b = length
  for (let i = 0; i < key.length; i++) {
    const code = key.charCodeAt(i)
    a = Math.imul(a ^ code, LANE_1)
    a = (a << 13) | (a >>> 19)
    b = Math.imul(b ^ code, LANE_2)
    b = (b << 17) | (b >>> 15)
  }
  half1 = a
  half2 = b
}

/** Adds whole 4-byte words to the checksum. */
const sumWords = (bytes: Uint8Array, start: number, end: number): void => {
  let a = half1
  let b = half2
  for (let at = start; at < end; at += 4) {
    const word =
      (bytes[at] as number) |
      ((bytes[at + 1] as number) << 8) |
      ((bytes[at + 2] as number) << 16) |
      ((bytes[at + 3] as number) << 24)
    a = Math.imul(a ^ word, LANE_1)
    a = (a << 13) | (a >>> 19)
    b = Math.imul(b ^ word, LANE_2)
    b = (b << 17) | (b >>> 15)
  }
  half1 = a
  half2 = b
}

/** Adds the bytes after the last whole word, and completes the checksum. */
const endSum = (bytes: Uint8Array, start: number): void => {
  let a = half1
  let b = half2
  for (let at = start; at < bytes.length; at++) {
    a = Math.imul(a ^ (bytes[at] as number), LANE_1)
    b = Math.imul(b ^ (bytes[at] as number), LANE_2)
  }
  a = (a + b) | 0
  half1 = spread(a)
  half2 = spread((b + a) | 0)
}

/** The stored form of a value: a checksum of key and value, then the value. A value under a wrong key fails, too. */
export const withChecksum = (key: string, value: Uint8Array): Uint8Array => {
  const stored = new Uint8Array(CHECKSUM_BYTES + value.length)
  stored.set(value, CHECKSUM_BYTES)
  sum(key, stored, CHECKSUM_BYTES)
  writeSum(stored)
  return stored
}

const writeSum = (stored: Uint8Array): void => {
  for (let i = 0; i < 4; i++) {
    stored[i] = half1 >>> (8 * i)
    stored[4 + i] = half2 >>> (8 * i)
  }
}

/** Bytes processed between two yields: one to three milliseconds. */
const SUMMED_AT_ONCE_BYTES = 256 * 1024

/** As `withChecksum`, in steps for a large value. */
export function* withChecksumSteps(key: string, value: Uint8Array): Steps<Uint8Array> {
  const stored = new Uint8Array(CHECKSUM_BYTES + value.length)
  sumKey(key, stored.length)
  const words = value.length - (value.length % 4)
  for (let at = 0; at < words; at += SUMMED_AT_ONCE_BYTES) {
    const end = Math.min(at + SUMMED_AT_ONCE_BYTES, words)
    stored.set(value.subarray(at, end), CHECKSUM_BYTES + at)
    sumWords(stored, CHECKSUM_BYTES + at, CHECKSUM_BYTES + end)
    if (end === words) break
    // Other checksums may be computed meanwhile.
    const [lane1, lane2] = [half1, half2]
    yield
    half1 = lane1
    half2 = lane2
  }
  stored.set(value.subarray(words), CHECKSUM_BYTES + words)
  endSum(stored, CHECKSUM_BYTES + words)
  writeSum(stored)
  return stored
}

/** A copy of the value without its checksum; undefined when there is no stored value or its checksum is wrong. */
export const checkedValue = (key: string, stored: Uint8Array | undefined): Uint8Array | undefined => {
  if (stored === undefined || stored.length < CHECKSUM_BYTES) return undefined
  sum(key, stored, CHECKSUM_BYTES)
  for (let i = 0; i < 4; i++) {
    if (stored[i] !== ((half1 >>> (8 * i)) & 255)) return undefined
    if (stored[4 + i] !== ((half2 >>> (8 * i)) & 255)) return undefined
  }
  return stored.slice(CHECKSUM_BYTES)
}

/** @throws StoreCorruption when the checksum is wrong. `block` is the height that was read. */
export const verifiedValue = (key: string, stored: Uint8Array, block: number): Uint8Array => {
  const value = checkedValue(key, stored)
  if (value === undefined) throw new StoreCorruption(key, block, 'its checksum does not match')
  return value
}

/** A stored value is damaged. It was not used. */
export class StoreCorruption extends Error {
  override readonly name = 'StoreCorruption'
  readonly code = 'STORE_CORRUPTION'
  readonly key: string
  /** The block that the record belongs to; for a record of all blocks, the height that was read. */
  readonly block: number
  readonly reason: string
  constructor(key: string, block: number, reason: string, remedy?: string) {
    const help =
      remedy ??
      (key.startsWith('segment:')
        ? 'stop the node, delete its chain folder and start it again: it fetches the chain from its peers; without peers, restore that folder from a backup. Leave the key and the folder validator as they are'
        : 'stop the node, delete the views (they are rebuilt from the segments) and start it again')
    super(`stored record ${key} of block ${block} is damaged: ${reason}; ${help}`)
    this.key = key
    this.block = block
    this.reason = reason
  }
}
