import { NetworkError } from '../error.ts'

/** Length prefix of each message, big-endian. */
const LENGTH_BYTES = 4

/** Initial buffer of a message: a claimed length alone must not take memory. */
const FIRST_BUFFER_BYTES = 64 * 1024

/** Byte by byte: a DataView would allocate a buffer outside the heap for each frame. */
const putLength = (bytes: Uint8Array, length: number): void => {
  for (let at = 0; at < LENGTH_BYTES; at++) bytes[at] = length >>> (24 - 8 * at)
}

/** The length prefix of a message. */
export const encodeLength = (bytes: number): Uint8Array => {
  const length = new Uint8Array(LENGTH_BYTES)
  putLength(length, bytes)
  return length
}

/** A message as it is sent: its length, then its parts. */
export const encodeFrame = (...parts: readonly Uint8Array[]): Uint8Array => {
  let length = 0
  for (const part of parts) length += part.length
  const frame = new Uint8Array(LENGTH_BYTES + length)
  putLength(frame, length)
  let offset = LENGTH_BYTES
  for (const part of parts) {
    frame.set(part, offset)
    offset += part.length
  }
  return frame
}

export type FrameDecoder = {
  /** Adds bytes in the order of arrival; kept until `next` has taken them. */
  push(chunk: Uint8Array): void
  /** The next complete message, undefined until there is one. @throws NetworkError when its length is above the limit */
  next(): Uint8Array | undefined
  /** Copies the pending bytes into one buffer: small parts would each keep a larger buffer alive. */
  compact(): void
  /** True between messages. */
  readonly isEmpty: boolean
}

/** Splits a stream of bytes into messages of at most `bytesMax`. Messages are copies: they keep no larger buffer alive. */
export const createFrameDecoder = (bytesMax: number): FrameDecoder => {
  const chunks: Uint8Array[] = []
  let head: Uint8Array | undefined
  let offset = 0
  const lengthBytes = new Uint8Array(LENGTH_BYTES)
  let lengthFilled = 0
  let body: Uint8Array | undefined
  let length = 0
  let filled = 0

  /** Takes up to `most` of the oldest bytes. */
  const take = (most: number): Uint8Array | undefined => {
    if (head === undefined) {
      head = chunks.shift()
      offset = 0
    }
    if (head === undefined) return undefined
    const part = head.subarray(offset, offset + most)
    offset += part.length
    if (offset === head.length) head = undefined
    return part
  }

  const readLength = (): boolean => {
    while (lengthFilled < LENGTH_BYTES) {
      const part = take(LENGTH_BYTES - lengthFilled)
      if (part === undefined) return false
      lengthBytes.set(part, lengthFilled)
      lengthFilled += part.length
    }
    length = new DataView(lengthBytes.buffer).getUint32(0)
    if (length > bytesMax)
      throw new NetworkError('OVERSIZED', `a message of ${length} bytes, where ${bytesMax} are allowed`)
    body = new Uint8Array(Math.min(length, FIRST_BUFFER_BYTES))
    filled = 0
    return true
  }

  const append = (part: Uint8Array): void => {
    let buffer = body as Uint8Array
    if (filled + part.length > buffer.length) {
      const grown = new Uint8Array(Math.min(length, Math.max(2 * buffer.length, filled + part.length)))
      grown.set(buffer.subarray(0, filled))
      buffer = grown
      body = grown
    }
    buffer.set(part, filled)
    filled += part.length
  }

  return {
    push: chunk => {
      if (chunk.length > 0) chunks.push(chunk)
    },
    next: () => {
      if (body === undefined && !readLength()) return undefined
      for (let missing = length - filled; missing > 0; missing = length - filled) {
        const part = take(missing)
        if (part === undefined) return undefined
        append(part)
      }
      const frame = (body as Uint8Array).subarray(0, length)
      body = undefined
      lengthFilled = 0
      return frame
    },
    compact: () => {
      const parts = head === undefined ? chunks : [head.subarray(offset), ...chunks]
      const bytes = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0))
      let end = 0
      for (const part of parts) {
        bytes.set(part, end)
        end += part.length
      }
      chunks.length = 0
      head = bytes.length === 0 ? undefined : bytes
      offset = 0
    },
    get isEmpty() {
      return lengthFilled === 0 && head === undefined && chunks.length === 0
    },
  }
}
