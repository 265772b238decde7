import type { Stream } from '@libp2p/interface'
import { concatBytes } from '../core/bytes/bytes.ts'
import { NetworkError } from './error.ts'
import { encodeLength } from './frames.ts'

/** A peer that takes no byte for this long while there are some for it is stuck, though it may live. */
export const STALL_TIMEOUT_MS = 30_000

/** Encrypted at once, in a millisecond or two; longer messages let other work between their parts, and those for other peers. */
const PART_BYTES_MAX = 128 * 1024

const isFlushed = (stream: Stream): boolean => stream.writeBufferLength === 0 && !stream.writableNeedsDrain

/** A message in parts that are not copied together. */
export type Message = { readonly parts: readonly Uint8Array[]; readonly bytes: number }

export const messageOf = (...parts: readonly Uint8Array[]): Message => ({
  parts,
  bytes: parts.reduce((sum, part) => sum + part.length, 0),
})

/**
 * Sends messages, each behind its length. Undefined when they are with the socket already, else resolves when they are.
 * @throws NetworkError when the stream ends, or takes nothing for STALL_TIMEOUT_MS
 */
export const sendFrames = (
  stream: Stream,
  messages: readonly Message[],
  pause: () => Promise<void>,
): Promise<void> | undefined => {
  const pieces = messages.flatMap(({ parts, bytes }) => [encodeLength(bytes), ...parts])
  const { bytes } = messageOf(...pieces)
  if (bytes > PART_BYTES_MAX) return sendInParts(stream, pieces, pause)
  stream.send(concatBytes(...pieces))
  return flushed(stream, STALL_TIMEOUT_MS)
}

const sendInParts = async (
  stream: Stream,
  pieces: readonly Uint8Array[],
  pause: () => Promise<void>,
): Promise<void> => {
  for (const piece of pieces) {
    for (let offset = 0; offset < piece.length; offset += PART_BYTES_MAX) {
      await pause()
      stream.send(piece.subarray(offset, offset + PART_BYTES_MAX))
      await flushed(stream, STALL_TIMEOUT_MS)
    }
  }
}

/**
 * Until everything that was sent has been taken over by the socket. The stream's own `onDrain` answers at the first
 * drain for ever after, so that a sender who waits by it does not wait.
 * @throws NetworkError when the stream ends, or when nothing moves for `stallMs`
 */
const flushed = (stream: Stream, stallMs: number): Promise<void> | undefined => {
  if (isFlushed(stream)) return undefined
  return new Promise((resolve, reject) => {
    const onStall = (): void => end(new NetworkError('TIMEOUT', `it read nothing for ${stallMs / 1000} s`))
    let timer = setTimeout(onStall, stallMs)
    const onMove = (): void => {
      if (isFlushed(stream)) return end()
      clearTimeout(timer)
      timer = setTimeout(onStall, stallMs)
    }
    const onClose = (): void => end(new NetworkError('NOT_CONNECTED', 'the stream was closed'))
    const end = (error?: NetworkError): void => {
      clearTimeout(timer)
      stream.removeEventListener('drain', onMove)
      stream.removeEventListener('idle', onMove)
      stream.removeEventListener('close', onClose)
      if (error === undefined) resolve()
      else reject(error)
    }
    stream.addEventListener('drain', onMove)
    stream.addEventListener('idle', onMove)
    stream.addEventListener('close', onClose)
    if (stream.status !== 'open') onClose()
  })
}
