import {
  type JsonPiece,
  type JsonPieces,
  jsonPieces,
  type KeepBytes,
  keepPlain,
  PLAIN_LENGTH_MAX,
} from './jsonPieces.ts'

/** Length of a piece: encoded, compressed and copied in about a millisecond. */
const PIECE_BYTES = 256 * 1024

/** Initial size of a buffer: most results are short. */
const FIRST_BYTES = 1024

/** A buffer of ASCII text that is written without intermediate strings. */
export type AsciiBuffer = {
  /** Valid up to `length`, until the next write. */
  readonly bytes: Uint8Array
  /** Can be reduced to discard the end. */
  length: number
  ascii(text: string): void
  /** @param value a safe integer */
  integer(value: number): void
  /** Two digits for each byte, no prefix. */
  hex(bytes: Uint8Array): void
  append(bytes: Uint8Array, length: number): void
}

const encoder = new TextEncoder()
const DIGITS = encoder.encode('0123456789abcdef')

export const createAsciiBuffer = (): AsciiBuffer => {
  let bytes = new Uint8Array(FIRST_BYTES)
  const ensure = (more: number): void => {
    const needed = buffer.length + more
    if (needed <= bytes.length) return
    const longer = new Uint8Array(Math.max(2 * bytes.length, needed))
    longer.set(bytes.subarray(0, buffer.length))
    bytes = longer
  }
  const ascii = (text: string): void => {
    const { length } = text
    ensure(length)
    const at = buffer.length
    for (let i = 0; i < length; i++) bytes[at + i] = text.charCodeAt(i)
    buffer.length = at + length
  }
  const buffer: AsciiBuffer = {
    get bytes() {
      return bytes
    },
    length: 0,
    ascii,
    integer: value => {
      // Rare large values.
      if (value < 0 || value > 0x7fffffff) return ascii(String(value))
      let digits = 1
      for (let power = 10; power <= value; power *= 10) digits++
      ensure(digits)
      let rest = value
      for (let at = buffer.length + digits - 1; at >= buffer.length; at--) {
        const next = (rest / 10) | 0
        bytes[at] = 48 + rest - 10 * next
        rest = next
      }
      buffer.length += digits
    },
    hex: from => {
      ensure(2 * from.length)
      let at = buffer.length
      for (let i = 0; i < from.length; i++) {
        const byte = from[i] as number
        bytes[at++] = DIGITS[byte >> 4] as number
        bytes[at++] = DIGITS[byte & 15] as number
      }
      buffer.length = at
    },
    append: (from, length) => {
      ensure(length)
      bytes.set(from.subarray(0, length), buffer.length)
      buffer.length += length
    },
  }
  return buffer
}

/** Writes a JSON text sequentially; full pieces are stored with the host's KeepBytes. */
export type JsonWriter = {
  ascii(text: string): void
  append(part: AsciiBuffer): void
  finish(): JsonPieces
}

export const createJsonWriter = (keep: KeepBytes = keepPlain): JsonWriter => {
  const pieces: JsonPiece[] = []
  const open = createAsciiBuffer()
  let kept = 0
  const close = (): void => {
    if (open.length === 0) return
    const full = open.bytes.subarray(0, open.length)
    kept += full.length
    pieces.push((kept <= PLAIN_LENGTH_MAX ? keepPlain : keep)(full))
    open.length = 0
  }
  const append = (bytes: Uint8Array, length: number): void => {
    if (open.length + length > PIECE_BYTES) close()
    if (length <= PIECE_BYTES) return open.append(bytes, length)
    for (let at = 0; at < length; at += PIECE_BYTES) {
      const end = Math.min(at + PIECE_BYTES, length)
      open.append(bytes.subarray(at, end), end - at)
      close()
    }
  }
  return {
    ascii: text => {
      if (text.length > FIRST_BYTES) {
        const bytes = encoder.encode(text)
        return append(bytes, bytes.length)
      }
      if (open.length + text.length > PIECE_BYTES) close()
      open.ascii(text)
    },
    append: part => append(part.bytes, part.length),
    finish: () => {
      close()
      return jsonPieces(pieces)
    },
  }
}
