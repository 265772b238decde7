const scratch = new Uint8Array(32)
const scratchView = new DataView(scratch.buffer)
const LIMB_MASK = 0xffff_ffff_ffff_ffffn

/** Writes values in the store's binary formats into a growing buffer. */
export type Writer = {
  byte(value: number): void
  /** LEB128 of a non-negative safe integer. */
  varint(value: number): void
  /** An unsigned integer of up to 32 bytes: its length, then its minimal big-endian bytes. */
  integer(value: bigint): void
  /** 32 bytes, without leading zeros, after their length: most slots and values are small numbers. */
  word(word: Uint8Array): void
  /** Bytes without their length, which the reader knows. */
  raw(bytes: Uint8Array): void
  /** Bytes after their length. */
  blob(bytes: Uint8Array): void
  /** ASCII text after its length. */
  ascii(text: string): void
  readonly length: number
  /** Returns a copy of what was written; the writer can be used further. */
  finish(): Uint8Array
  /** Discards what was written. */
  reset(): void
}

/** Writes the minimal big-endian bytes to the end of `scratch` and returns their start. */
const writeScratch = (value: bigint): number => {
  let rest = value
  let end = 32
  while (rest > LIMB_MASK) {
    end -= 8
    if (end < 8) throw new RangeError('the integer does not fit into 32 bytes')
    scratchView.setBigUint64(end, rest & LIMB_MASK)
    rest >>= 64n
  }
  end -= 8
  scratchView.setBigUint64(end, rest)
  while (end < 32 && scratch[end] === 0) end++
  return end
}

/** Writes an integer below 2^32 as `Writer.integer` does, and returns its end. */
const writeSmallInteger = (buffer: Uint8Array, at: number, value: number): number => {
  let rest = value
  const length = rest > 0xffffff ? 4 : rest > 0xffff ? 3 : rest > 0xff ? 2 : rest > 0 ? 1 : 0
  buffer[at] = length
  for (let i = at + length; i > at; i--) {
    buffer[i] = rest & 0xff
    rest >>>= 8
  }
  return at + length + 1
}

export const createWriter = (sizeHint = 256): Writer => {
  let buffer = new Uint8Array(sizeHint)
  let at = 0
  const reserve = (bytes: number): void => {
    if (at + bytes <= buffer.length) return
    const grown = new Uint8Array(Math.max(2 * buffer.length, at + bytes))
    grown.set(buffer.subarray(0, at))
    buffer = grown
  }
  const raw = (bytes: Uint8Array): void => {
    reserve(bytes.length)
    buffer.set(bytes, at)
    at += bytes.length
  }
  const varint = (value: number): void => {
    reserve(8)
    let rest = value
    while (rest >= 0x80) {
      buffer[at++] = (rest % 0x80) | 0x80
      rest = Math.floor(rest / 0x80)
    }
    buffer[at++] = rest
  }
  return {
    byte: value => {
      reserve(1)
      buffer[at++] = value
    },
    varint,
    integer: value => {
      reserve(33)
      if (value < 0x1_0000_0000n) {
        // Nonces, gas and prices need no 64-bit arithmetic.
        at = writeSmallInteger(buffer, at, Number(value))
        return
      }
      const start = writeScratch(value)
      buffer[at++] = 32 - start
      for (let i = start; i < 32; i++) buffer[at++] = scratch[i] as number
    },
    word: word => {
      let start = 0
      while (start < 32 && word[start] === 0) start++
      reserve(33)
      buffer[at++] = 32 - start
      for (let i = start; i < 32; i++) buffer[at++] = word[i] as number
    },
    raw,
    blob: bytes => {
      varint(bytes.length)
      raw(bytes)
    },
    ascii: text => {
      varint(text.length)
      reserve(text.length)
      for (let i = 0; i < text.length; i++) buffer[at++] = text.charCodeAt(i)
    },
    get length() {
      return at
    },
    finish: () => buffer.slice(0, at),
    reset: () => {
      at = 0
    },
  }
}

/** The numbers one after the other, each in LEB128. */
export const encodeVarints = (...values: readonly number[]): Uint8Array => {
  const writer = createWriter(16)
  for (const value of values) writer.varint(value)
  return writer.finish()
}
