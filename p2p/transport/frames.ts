import { concatBytes } from '../../core/bytes/bytes.ts'
import { NetworkError } from '../error.ts'

/** Length prefix of each message, big-endian. */
const LENGTH_BYTES = 4

/** Initial buffer of a message: a claimed length alone must not allocate more. */
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
  /** Adds bytes in the order of arrival. */
  push(chunk: Uint8Array): void
  /** The next complete message, undefined until there is one. @throws NetworkError when its length is above the limit */
  next(): Uint8Array | undefined
  /** Copies the pending bytes into one buffer: small parts would each keep a larger buffer alive. */
  compact(): void
  /** True between messages. */
  readonly isEmpty: boolean
}

type State = {
  readonly bytesMax: number
  /** Bytes that arrived, without those before `offset` of the first chunk. */
  readonly chunks: Uint8Array[]
  offset: number
  readonly lengthBytes: Uint8Array
  lengthFilled: number
  /** The message being read; undefined while its length is incomplete. */
  body: Uint8Array | undefined
  length: number
  filled: number
}

/** Takes up to `most` of the oldest bytes. */
const take = (state: State, most: number): Uint8Array | undefined => {
  const first = state.chunks[0]
  if (first === undefined) return undefined
  const part = first.subarray(state.offset, state.offset + most)
  state.offset += part.length
  if (state.offset === first.length) {
    state.chunks.shift()
    state.offset = 0
  }
  return part
}

/** Returns false while the length is incomplete. */
const readLength = (state: State): boolean => {
  const { bytesMax, lengthBytes } = state
  while (state.lengthFilled < LENGTH_BYTES) {
    const part = take(state, LENGTH_BYTES - state.lengthFilled)
    if (part === undefined) return false
    lengthBytes.set(part, state.lengthFilled)
    state.lengthFilled += part.length
  }
  const length = new DataView(lengthBytes.buffer).getUint32(0)
  if (length > bytesMax)
    throw new NetworkError('OVERSIZED', `a message of ${length} bytes, where ${bytesMax} are allowed`)
  state.length = length
  state.body = new Uint8Array(Math.min(length, FIRST_BUFFER_BYTES))
  state.filled = 0
  return true
}

const append = (state: State, part: Uint8Array): void => {
  const { length, filled } = state
  let body = state.body as Uint8Array
  if (filled + part.length > body.length) {
    const grown = new Uint8Array(Math.min(length, Math.max(2 * body.length, filled + part.length)))
    grown.set(body.subarray(0, filled))
    body = grown
    state.body = grown
  }
  body.set(part, filled)
  state.filled += part.length
}

const next = (state: State): Uint8Array | undefined => {
  if (state.body === undefined && !readLength(state)) return undefined
  for (let missing = state.length - state.filled; missing > 0; missing = state.length - state.filled) {
    const part = take(state, missing)
    if (part === undefined) return undefined
    append(state, part)
  }
  const frame = (state.body as Uint8Array).subarray(0, state.length)
  state.body = undefined
  state.lengthFilled = 0
  return frame
}

const compact = (state: State): void => {
  const { chunks, offset } = state
  const [first, ...others] = chunks
  if (first === undefined) return
  chunks.length = 0
  chunks.push(concatBytes(first.subarray(offset), ...others))
  state.offset = 0
}

/** Splits a stream of bytes into messages of at most `bytesMax`. Messages are copies: they keep no larger buffer alive. */
export const createFrameDecoder = (bytesMax: number): FrameDecoder => {
  const state: State = {
    bytesMax,
    chunks: [],
    offset: 0,
    lengthBytes: new Uint8Array(LENGTH_BYTES),
    lengthFilled: 0,
    body: undefined,
    length: 0,
    filled: 0,
  }
  return {
    push: chunk => {
      if (chunk.length > 0) state.chunks.push(chunk)
    },
    next: () => next(state),
    compact: () => compact(state),
    get isEmpty() {
      return state.lengthFilled === 0 && state.chunks.length === 0
    },
  }
}
