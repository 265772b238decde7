import { ZERO_HASH } from '../../bytes/bytes.ts'
import { sharedBigint } from '../../bytes/integer.ts'

/**
 * Reads the output of a Writer, in the same order. Byte strings are views of the input. @throws MalformedRecord past the
 * end, and for what a Writer does not write: integers in more bytes than they need
 */
export type Reader = {
  byte(): number
  varint(): number
  integer(): bigint
  raw(length: number): Uint8Array
  blob(): Uint8Array
  /** As `raw`, but a copy: for short values that are kept, because a view would keep the whole input. */
  copy(length: number): Uint8Array
  /** 32 bytes stored without leading zeros, after their length; a word of zeros is the shared ZERO_HASH. */
  word(): Uint8Array
  /** A copy of all unread bytes. */
  rest(): Uint8Array
  readonly done: boolean
  /** @throws MalformedRecord when bytes are left */
  end(): void
  /** Restarts with other bytes, at the given position. */
  reset(bytes: Uint8Array, at?: number): void
}

/** The unsigned big-endian integer in these bytes. Reads six bytes at a time, which a number holds exactly. */
const readLimbs = (bytes: Uint8Array, start: number, end: number): bigint => {
  let value = 0n
  let at = start
  while (at < end) {
    let limb = 0
    const count = Math.min(6, end - at)
    for (let i = 0; i < count; i++) limb = limb * 256 + (bytes[at++] as number)
    value = value === 0n ? sharedBigint(limb) : (value << BigInt(8 * count)) | BigInt(limb)
  }
  return value
}

/** 32 bytes without their leading zeros, after their length. */
const readWord = (byte: () => number): Uint8Array => {
  const length = byte()
  if (length === 0) return ZERO_HASH
  if (length > 32) throw new MalformedRecord('a word is too long')
  const word = new Uint8Array(32)
  for (let i = 32 - length; i < 32; i++) word[i] = byte()
  if (word[32 - length] === 0) throw new MalformedRecord('a word has leading zeros')
  return word
}

export const createReader = (first: Uint8Array): Reader => {
  let bytes = first
  let at = 0
  const byte = (): number => {
    const value = bytes[at++]
    if (value === undefined) throw new MalformedRecord('it ends too early')
    return value
  }
  const raw = (length: number): Uint8Array => {
    const end = at + length
    if (end > bytes.length) throw new MalformedRecord('it ends too early')
    const part = bytes.subarray(at, end)
    at = end
    return part
  }
  const varint = (): number => {
    let value = 0
    for (let unit = 1; unit <= 2 ** 49; unit *= 0x80) {
      const next = byte()
      value += (next & 0x7f) * unit
      if (next === 0 && unit > 1) break
      if (next < 0x80) return value
    }
    throw new MalformedRecord('an integer has more bytes than it needs')
  }
  return {
    byte,
    varint,
    integer: () => {
      const length = byte()
      if (length > 32) throw new MalformedRecord('an integer is too long')
      const end = at + length
      if (end > bytes.length) throw new MalformedRecord('it ends too early')
      if (bytes[at] === 0 && length > 0) throw new MalformedRecord('an integer has leading zeros')
      const value = readLimbs(bytes, at, end)
      at = end
      return value
    },
    raw,
    blob: () => raw(varint()),
    copy: length => {
      const end = at + length
      if (end > bytes.length) throw new MalformedRecord('it ends too early')
      const part = bytes.slice(at, end)
      at = end
      return part
    },
    word: () => readWord(byte),
    rest: () => {
      const part = bytes.slice(at)
      at = bytes.length
      return part
    },
    get done() {
      return at === bytes.length
    },
    end: () => {
      if (at < bytes.length) throw new MalformedRecord('bytes follow its end')
    },
    reset: (next, from = 0) => {
      bytes = next
      at = from
    },
  }
}

/** A stored record has a correct checksum but invalid content: other software wrote it. */
export class MalformedRecord extends Error {
  override readonly name = 'MalformedRecord'
  readonly code = 'MALFORMED_RECORD'
  constructor(reason: string) {
    super(`a stored record cannot be read: ${reason}`)
  }
}

/** A record of a version that this program does not read. @param what the record, as the subject of a sentence */
export const otherVersion = (what: string, found: number, known: number, advice = ''): MalformedRecord =>
  new MalformedRecord(
    `${what} version ${found}, this program reads version ${known}: start the release that wrote it${advice}`,
  )
