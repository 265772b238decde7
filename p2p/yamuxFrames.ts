/** Version, type, flags (2), stream (4), length (4): yamux's frame header. */
const HEADER_BYTES = 12
/** Offsets within it. */
const TYPE = 1
const FLAGS = 2
const STREAM = 4
const LENGTH = 8
/** The type of a frame that so many bytes follow as its length says. */
const DATA = 0
/** The type of one that lets the other side send so many bytes more as its length says. */
const WINDOW_UPDATE = 1

const viewOf = ({ buffer, byteOffset, byteLength }: Uint8Array): DataView =>
  new DataView(buffer, byteOffset, byteLength)

export type WindowUpdate = { readonly flags: number; readonly streamId: number; readonly bytes: number }

/** Undefined for anything but one whole window update. */
export const decodeWindowUpdate = (frame: Uint8Array): WindowUpdate | undefined => {
  if (frame.length !== HEADER_BYTES || frame[TYPE] !== WINDOW_UPDATE) return undefined
  const view = viewOf(frame)
  return { flags: view.getUint16(FLAGS), streamId: view.getUint32(STREAM), bytes: view.getUint32(LENGTH) }
}

/** One without flags. */
export const encodeWindowUpdate = (streamId: number, bytes: number): Uint8Array => {
  const frame = new Uint8Array(HEADER_BYTES)
  const view = viewOf(frame)
  frame[TYPE] = WINDOW_UPDATE
  view.setUint32(STREAM, streamId)
  view.setUint32(LENGTH, bytes)
  return frame
}

/** Counts the yamux frames that begin in the bytes of one direction of a connection, as they come. */
export const createFrameCounter = (): ((bytes: Uint8Array) => number) => {
  const header = new Uint8Array(HEADER_BYTES)
  const view = viewOf(header)
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
