import type { Scheduler } from '../../core/scheduler.ts'
import { bytesOfPiece, type JsonPiece } from '../rpc/json/jsonPieces.ts'

/** Bytes sent in one turn of the event loop: encoded and copied in a millisecond or two. */
export const TURN_BYTES = 1024 * 1024

/** Maximum number of pieces sent in one turn, however short. */
const TURN_PIECES = 16

/** A client that reads nothing for this long is disconnected: it holds memory and one of the concurrent compressions. */
const STALLED_MS = 120_000

export type StreamOptions = {
  readonly scheduler: Pick<Scheduler, 'nextTurn'>
  /** Bytes sent in one turn of the event loop. */
  readonly turnBytes?: number
  /** Called once when no more pieces are read: all were sent, or the client disconnected or stalled. */
  readonly onEnd?: () => void
  readonly stalledMs?: number
}

/**
 * Streams a body that is encoded piece by piece as the client reads it. Yields to other requests between turns even on a
 * runtime that buffers everything. Fails with StalledReader where the client stops reading.
 */
export const streamOf = (
  pieces: Iterable<JsonPiece | Uint8Array<ArrayBuffer>>,
  { scheduler, turnBytes = TURN_BYTES, onEnd, stalledMs = STALLED_MS }: StreamOptions,
): ReadableStream<Uint8Array<ArrayBuffer>> => {
  const rest = pieces[Symbol.iterator]()
  let turnBytesSent = 0
  let timer: ReturnType<typeof setTimeout> | undefined
  return new ReadableStream({
    pull: async controller => {
      clearTimeout(timer)
      if (turnBytesSent >= turnBytes) {
        await scheduler.nextTurn()
        turnBytesSent = 0
      }
      const next = rest.next()
      if (next.done === true) {
        controller.close()
        onEnd?.()
        return
      }
      const bytes = next.value instanceof Uint8Array ? next.value : bytesOfPiece(next.value)
      turnBytesSent += Math.max(bytes.length, turnBytes / TURN_PIECES)
      controller.enqueue(bytes)
      timer = setTimeout(() => {
        rest.return?.()
        controller.error(new StalledReader(stalledMs))
        onEnd?.()
      }, stalledMs)
    },
    cancel: () => {
      clearTimeout(timer)
      onEnd?.()
    },
  })
}

/** The client has stopped reading an answer that is too long for the buffers on its way. */
export class StalledReader extends Error {
  override readonly name = 'StalledReader'
  readonly code = 'STALLED_READER'
  constructor(stalledMs: number) {
    super(
      `the client has read nothing of its answer for ${stalledMs / 1000} s; send the request again with a smaller range`,
    )
  }
}
