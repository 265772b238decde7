const encoder = new TextEncoder()

/** Pieces of one turn: about a megabyte, encoded and copied in a millisecond or two. */
const TURN_PIECES = 16

export type StreamOptions = {
  /** Pieces of one turn. */
  readonly turnPieces?: number
  /** Called once when nothing more is taken from the pieces: they have all been read, or the client left. */
  readonly onEnd?: () => void
}

/**
 * A body that is encoded piece by piece as the client reads it; what it does not read is not encoded. A runtime that buffers
 * all it is given lets others have their turn all the same.
 */
export const streamOf = (
  pieces: readonly string[],
  { turnPieces = TURN_PIECES, onEnd }: StreamOptions = {},
): ReadableStream<Uint8Array<ArrayBuffer>> => {
  let next = 0
  return new ReadableStream({
    pull: async controller => {
      if (next > 0 && next % turnPieces === 0) await new Promise(resolve => setTimeout(resolve, 0))
      const piece = pieces[next++]
      if (piece !== undefined) controller.enqueue(encoder.encode(piece))
      else {
        controller.close()
        onEnd?.()
      }
    },
    cancel: () => onEnd?.(),
  })
}
