import { bytesOfPiece, type JsonPiece } from '../rpc/jsonPieces.ts'

/** Bytes of one turn: encoded and copied in a millisecond or two. */
const TURN_BYTES = 1024 * 1024

/** However short the pieces are. */
const TURN_PIECES = 16

export type StreamOptions = {
  /** Bytes of one turn. */
  readonly turnBytes?: number
  /** Called once when nothing more is taken from the pieces: they have all been read, or the client left. */
  readonly onEnd?: () => void
}

/**
 * A body that is encoded piece by piece as the client reads it; what it does not read is not encoded. A runtime that buffers
 * all it is given lets others have their turn all the same.
 */
export const streamOf = (
  pieces: Iterable<JsonPiece | Uint8Array<ArrayBuffer>>,
  { turnBytes = TURN_BYTES, onEnd }: StreamOptions = {},
): ReadableStream<Uint8Array<ArrayBuffer>> => {
  const left = pieces[Symbol.iterator]()
  let turned = 0
  return new ReadableStream({
    pull: async controller => {
      if (turned >= turnBytes) {
        await new Promise(resolve => setTimeout(resolve, 0))
        turned = 0
      }
      const next = left.next()
      if (next.done === true) {
        controller.close()
        onEnd?.()
        return
      }
      const bytes = next.value instanceof Uint8Array ? next.value : bytesOfPiece(next.value)
      turned += Math.max(bytes.length, turnBytes / TURN_PIECES)
      controller.enqueue(bytes)
    },
    cancel: () => onEnd?.(),
  })
}
