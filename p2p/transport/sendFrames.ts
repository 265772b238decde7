import type { Stream } from '@libp2p/interface'
import type { YieldTurn } from '../../core/scheduler.ts'
import { concatBytes } from '../../core/bytes/bytes.ts'
import { NetworkError } from '../error.ts'
import { encodeLength } from './frames.ts'

/** A peer that reads nothing for this long while bytes wait for it counts as stuck, even if it sends keep-alive messages. */
export const STALL_TIMEOUT_MS = 30_000

/** Bytes encrypted at once, in a millisecond or two; longer messages yield between their parts. */
const PART_BYTES_MAX = 128 * 1024

const isFlushed = (stream: Stream): boolean => stream.writeBufferLength === 0 && !stream.writableNeedsDrain

/** A message in parts, which are not joined by a copy. */
export type Message = { readonly parts: readonly Uint8Array[]; readonly bytes: number }

export const messageOf = (...parts: readonly Uint8Array[]): Message => ({
  parts,
  bytes: parts.reduce((sum, part) => sum + part.length, 0),
})

/**
 * Sends messages, each after its length. Returns undefined when the socket has taken them all, otherwise a promise of that.
 * @throws NetworkError when the stream ends, or the peer reads nothing for STALL_TIMEOUT_MS
 */
export const sendFrames = (
  stream: Stream,
  messages: readonly Message[],
  pause: YieldTurn,
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
  pause: YieldTurn,
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
 * Resolves when the socket has taken everything that was sent. The stream's own `onDrain` stays resolved after the first
 * drain, so that it cannot be used to wait for later ones.
 * @throws NetworkError when the stream ends, or when the peer reads nothing for `stallMs`
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
