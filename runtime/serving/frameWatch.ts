/** Two bytes, eight of the length, four of the mask (RFC 6455, section 5.2). */
const HEADER_BYTES_MAX = 14

const LENGTH_BITS = 0x7f
const LENGTH_16 = 126
const LENGTH_64 = 127
const MASK = 0x80
const OPCODE = 0x0f
const FIN = 0x80
/** First opcode of control frames, which have their own limit. */
const CONTROL = 8

export type FrameEvents = {
  /** Called for each frame that is no message of its own: a control frame, or one of several of a message. */
  readonly onPart: (bytes: number) => void
  /** Called with the payload length of a frame when its header is complete. */
  readonly onFrame: (bytes: number) => void
  /** Called with the number of frames of a message when its last frame starts. */
  readonly onLastFrame: (frames: number) => void
}

/**
 * Parses the frame headers of a connection and skips the payloads.
 * @returns the function to call with each received chunk
 */
export const createFrameWatch = ({
  onPart,
  onFrame,
  onLastFrame,
}: FrameEvents): ((chunk: Uint8Array) => void) => {
  const header = new Uint8Array(HEADER_BYTES_MAX)
  const view = new DataView(header.buffer)
  let size = 0
  let skipped = 0
  let frames = 0

  const headerBytes = (): number => {
    if (size < 2) return 2
    const second = header[1] as number
    const length = second & LENGTH_BITS
    return 2 + (length === LENGTH_64 ? 8 : length === LENGTH_16 ? 2 : 0) + ((second & MASK) === 0 ? 0 : 4)
  }

  const payloadBytes = (): number => {
    const length = (header[1] as number) & LENGTH_BITS
    if (length === LENGTH_64) return Number(view.getBigUint64(2))
    return length === LENGTH_16 ? view.getUint16(2) : length
  }

  return chunk => {
    for (let at = 0; at < chunk.length; ) {
      if (skipped > 0) {
        const count = Math.min(skipped, chunk.length - at)
        skipped -= count
        at += count
        continue
      }
      header[size++] = chunk[at++] as number
      if (size < headerBytes()) continue
      size = 0
      skipped = payloadBytes()
      const first = header[0] as number
      const isControl = (first & OPCODE) >= CONTROL
      if (isControl || frames > 0 || (first & FIN) === 0) onPart(skipped)
      if (isControl) continue
      frames++
      onFrame(skipped)
      if ((first & FIN) === 0) continue
      onLastFrame(frames)
      frames = 0
    }
  }
}
