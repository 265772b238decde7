import { decodeWindowUpdate, encodeWindowUpdate } from './yamuxFrames.ts'

/**
 * Half of the smallest window of a yamux stream, as in other implementations, so that the sender never waits. js-libp2p's
 * yamux sends an update for every frame that it has read.
 */
const UPDATE_BYTES_MIN = 128 * 1024

/**
 * Holds back window updates below the minimum and adds them to the next one: otherwise each consensus message would be
 * answered by a frame that costs both sides as much as the message.
 * @param streamOf returns the open stream with that identifier
 * @returns what to send in place of a frame: the frame, a window update for everything held back, or nothing
 */
export const createWindowUpdates = (
  streamOf: (id: number) => object | undefined,
): ((frame: Uint8Array) => Uint8Array | undefined) => {
  const heldBack = new WeakMap<object, number>()
  return frame => {
    const update = decodeWindowUpdate(frame)
    // An update with a flag opens or ends a stream.
    if (update === undefined || update.flags !== 0) return frame
    const stream = streamOf(update.streamId)
    if (stream === undefined) return frame
    const bytes = (heldBack.get(stream) ?? 0) + update.bytes
    heldBack.set(stream, bytes < UPDATE_BYTES_MIN ? bytes : 0)
    return bytes < UPDATE_BYTES_MIN ? undefined : encodeWindowUpdate(update.streamId, bytes)
  }
}
