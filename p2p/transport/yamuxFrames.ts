/** Version, type, flags (2), stream (4), length (4): yamux's frame header. */
const HEADER_BYTES = 12
/** Offsets within it. */
const TYPE = 1
const FLAGS = 2
const STREAM = 4
const LENGTH = 8
/** Type of a frame that is followed by as many bytes as its length says. */
const DATA = 0
/** Type of a frame whose length is the number of bytes by which it opens the window. */
const WINDOW_UPDATE = 1

// Byte by byte: a DataView of twelve bytes would allocate a buffer outside the heap for each frame.
const uint32At = (bytes: Uint8Array, at: number): number =>
  (((bytes[at] as number) << 24) |
    ((bytes[at + 1] as number) << 16) |
    ((bytes[at + 2] as number) << 8) |
    (bytes[at + 3] as number)) >>>
  0

const setUint32 = (bytes: Uint8Array, at: number, value: number): void => {
  bytes[at] = value >>> 24
  bytes[at + 1] = value >>> 16
  bytes[at + 2] = value >>> 8
  bytes[at + 3] = value
}

export type WindowUpdate = { readonly flags: number; readonly streamId: number; readonly bytes: number }

/** Returns undefined for anything but one complete window update. */
export const decodeWindowUpdate = (frame: Uint8Array): WindowUpdate | undefined => {
  if (frame.length !== HEADER_BYTES || frame[TYPE] !== WINDOW_UPDATE) return undefined
  const flags = ((frame[FLAGS] as number) << 8) | (frame[FLAGS + 1] as number)
  return { flags, streamId: uint32At(frame, STREAM), bytes: uint32At(frame, LENGTH) }
}

/** A window update without flags. */
export const encodeWindowUpdate = (streamId: number, bytes: number): Uint8Array => {
  const frame = new Uint8Array(HEADER_BYTES)
  frame[TYPE] = WINDOW_UPDATE
  setUint32(frame, STREAM, streamId)
  setUint32(frame, LENGTH, bytes)
  return frame
}

/** Flag of a frame that opens a stream. */
const SYN = 1
/** Frames that a new stream counts for: its protocol is negotiated by several, and it is opened and closed. */
const STREAM_FRAMES = 8

/** Counts the yamux frames that begin in successive chunks of one direction of a connection. */
export const createFrameCounter = (): ((bytes: Uint8Array) => number) => {
  const header = new Uint8Array(HEADER_BYTES)
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
      if (((header[FLAGS + 1] as number) & SYN) !== 0) frames += STREAM_FRAMES
      if (header[TYPE] === DATA) toSkip = uint32At(header, LENGTH)
    }
    return frames
  }
}
