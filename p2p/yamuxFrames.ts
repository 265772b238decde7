/** Version, type, flags (2), stream (4), length (4): yamux's frame header. */
const HEADER_BYTES = 12
/** Offsets within it. */
const TYPE = 1
const LENGTH = 8
/** The type of a frame that so many bytes follow as its length says. */
const DATA = 0

/** Counts the yamux frames that begin in the bytes of one direction of a connection, as they come. */
export const createFrameCounter = (): ((bytes: Uint8Array) => number) => {
  const header = new Uint8Array(HEADER_BYTES)
  const view = new DataView(header.buffer)
  let filled = 0
  let toSkip = 0
  return bytes => {
    let frames = 0
    for (let offset = 0; offset < bytes.length; ) {
      if (toSkip > 0) {
        const skipped = Math.min(toSkip, bytes.length - offset)
        toSkip -= skipped
        offset += skipped
        continue
      }
      if (filled === 0) frames++
      header[filled++] = bytes[offset++] as number
      if (filled < HEADER_BYTES) continue
      filled = 0
      if (header[TYPE] === DATA) toSkip = view.getUint32(LENGTH)
    }
    return frames
  }
}
