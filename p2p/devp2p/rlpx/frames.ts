import { createCipheriv, createDecipheriv, timingSafeEqual } from 'node:crypto'
import { concatBytes, EMPTY_BYTES } from '../../../core/bytes/bytes.ts'
import { RlpxError } from './error.ts'
import { createFrameMac, MAC_BYTES } from './frameMac.ts'
import type { Secrets } from './secrets.ts'

/** A message of a connection: its id among all agreed protocols, and its payload, not inflated. */
export type Frame = { readonly id: number; readonly payload: Uint8Array }

const BLOCK_BYTES = 16
const HEADER_BYTES = BLOCK_BYTES + MAC_BYTES
/** The RLP list of a capability id and a context id, which nobody uses. */
const HEADER_DATA = [0xc2, 0x80, 0x80] as const
/** Ids are RLP integers of one byte: those of all protocols together stay below. */
const ID_MAX = 0x7f

/** First capacity for a body. */
const CAPACITY_MIN = 4096

const paddedLength = (length: number): number => Math.ceil(length / BLOCK_BYTES) * BLOCK_BYTES

const append = (state: ReaderState, part: Uint8Array): void => {
  const length = state.bodyLength + part.length
  if (length > state.body.length) {
    const capacity = Math.max(length, CAPACITY_MIN, 2 * state.body.length)
    const grown = new Uint8Array(Math.min(capacity, paddedLength(state.size)))
    grown.set(state.body.subarray(0, state.bodyLength))
    state.body = grown
  }
  state.body.set(part, state.bodyLength)
  state.bodyLength = length
}

/** Encrypts the messages of one direction, in their order. */
export type FrameWriter = (id: number, payload: Uint8Array) => Uint8Array

export const createFrameWriter = ({ aes, mac, egress }: Secrets): FrameWriter => {
  const cipher = createCipheriv('aes-256-ctr', aes, new Uint8Array(BLOCK_BYTES))
  const frameMac = createFrameMac(mac, egress)
  return (id, payload) => {
    const size = 1 + payload.length
    const header = new Uint8Array(BLOCK_BYTES)
    header.set([size >> 16, (size >> 8) & 255, size & 255, ...HEADER_DATA])
    const body = new Uint8Array(paddedLength(size))
    body[0] = id === 0 ? 0x80 : id
    body.set(payload, 1)
    const headerCiphertext = cipher.update(header)
    const headerTag = frameMac.header(headerCiphertext)
    const ciphertext = cipher.update(body)
    frameMac.absorb(ciphertext)
    return concatBytes(headerCiphertext, headerTag, ciphertext, frameMac.body())
  }
}

export type FrameReader = {
  /** Largest size of a frame that is accepted; it changes with the stage of the connection. */
  sizeMax: number
  /** Bytes kept of a frame that is not complete. */
  readonly pendingBytes: number
  /**
   * Decrypts what arrived and calls `onFrame` for each frame that is complete, until it returns false. Returns how many bytes were read.
   * @throws RlpxError when a frame is too large or its MAC is wrong: nothing that follows can be read
   */
  push(bytes: Uint8Array, onFrame: (frame: Frame) => unknown): number
}

type ReaderState = {
  /** Bytes of a header, or of a MAC behind a body, that are not complete. */
  readonly head: Uint8Array
  headLength: number
  /** Size of the frame whose body is being read; 0 between frames. */
  size: number
  /** Encrypted bytes of the body that are missing. */
  missing: number
  /** The decrypted body so far; it grows as bytes arrive, whatever size the header claims. */
  body: Uint8Array
  bodyLength: number
}

const frameOf = ({ body: padded, size }: ReaderState): Frame => {
  const body = padded.subarray(0, size)
  const [first = 0] = body
  if (first > ID_MAX && first !== 0x80)
    throw new RlpxError(`a frame begins with byte ${first}, which is not a message id`)
  return { id: first === 0x80 ? 0 : first, payload: body.subarray(1) }
}

/** Reads the frames of one direction. Bytes may arrive in any pieces; the memory held is what arrived. */
export const createFrameReader = ({ aes, mac, ingress }: Secrets, sizeMax: number): FrameReader => {
  const decipher = createDecipheriv('aes-256-ctr', aes, new Uint8Array(BLOCK_BYTES))
  const frameMac = createFrameMac(mac, ingress)
  const state: ReaderState = {
    head: new Uint8Array(HEADER_BYTES),
    headLength: 0,
    size: 0,
    missing: 0,
    body: EMPTY_BYTES,
    bodyLength: 0,
  }

  const readHeader = (): void => {
    const ciphertext = state.head.slice(0, BLOCK_BYTES)
    if (!timingSafeEqual(frameMac.header(ciphertext), state.head.subarray(BLOCK_BYTES)))
      throw new RlpxError('the MAC of a frame header is wrong')
    const [high = 0, middle = 0, low = 0] = decipher.update(ciphertext)
    state.size = (high << 16) | (middle << 8) | low
    if (state.size === 0) throw new RlpxError('a frame is empty')
    if (state.size > reader.sizeMax)
      throw new RlpxError(`a frame has ${state.size} bytes, of ${reader.sizeMax} at most`)
    state.missing = paddedLength(state.size)
    state.headLength = 0
  }

  /** Takes bytes for `head` until it has `length`; returns how many it took. */
  const fill = (bytes: Uint8Array, length: number): number => {
    const taken = Math.min(length - state.headLength, bytes.length)
    state.head.set(bytes.subarray(0, taken), state.headLength)
    state.headLength += taken
    return taken
  }

  const readPart = (bytes: Uint8Array): number => {
    const part = bytes.subarray(0, state.missing)
    frameMac.absorb(part)
    append(state, decipher.update(part))
    state.missing -= part.length
    return part.length
  }

  const finish = (): Frame => {
    if (!timingSafeEqual(frameMac.body(), state.head.subarray(0, MAC_BYTES)))
      throw new RlpxError('the MAC of a frame is wrong')
    const frame = frameOf(state)
    Object.assign(state, { headLength: 0, size: 0, body: EMPTY_BYTES, bodyLength: 0 })
    return frame
  }

  const reader: FrameReader = {
    sizeMax,
    get pendingBytes() {
      return state.bodyLength
    },
    push: (bytes, onFrame) => {
      let at = 0
      while (at < bytes.length) {
        const rest = bytes.subarray(at)
        if (state.missing > 0) {
          at += readPart(rest)
          continue
        }
        const wanted = state.size === 0 ? HEADER_BYTES : MAC_BYTES
        at += fill(rest, wanted)
        if (state.headLength < wanted) break
        if (state.size === 0) readHeader()
        else if (onFrame(finish()) === false) break
      }
      return at
    },
  }
  return reader
}
