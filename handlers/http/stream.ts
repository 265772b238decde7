const encoder = new TextEncoder()

/** A body that is encoded piece by piece as the client reads it; what it does not read is not encoded. */
export const streamOf = (pieces: readonly string[]): ReadableStream<Uint8Array> => {
  let next = 0
  return new ReadableStream({
    pull: controller => {
      const piece = pieces[next++]
      if (piece === undefined) controller.close()
      else controller.enqueue(encoder.encode(piece))
    },
  })
}
