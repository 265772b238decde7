import { decodeWindowUpdate, encodeWindowUpdate } from './yamuxFrames.ts'

/**
 * Half of the smallest window that a yamux stream has, so that the other side goes on sending meanwhile. As other
 * implementations of yamux have it; the one used here tells of every frame that it has taken.
 */
const UPDATE_BYTES_MIN = 128 * 1024

/**
 * Keeps back what would open the window of a stream by less, and adds it to what comes next: a consensus message is then
 * answered by no frame of its own, which costs both sides as much as the message.
 * @param streamOf the open stream with that identifier
 * @returns what is to be sent in place of a frame: itself, a window update for all that was kept back, or nothing
 */
export const createWindowUpdates = (
  streamOf: (id: number) => object | undefined,
): ((frame: Uint8Array) => Uint8Array | undefined) => {
  const keptBack = new WeakMap<object, number>()
  return frame => {
    const update = decodeWindowUpdate(frame)
    // One with a flag opens or ends a stream.
    if (update === undefined || update.flags !== 0) return frame
    const stream = streamOf(update.streamId)
    if (stream === undefined) return frame
    const bytes = (keptBack.get(stream) ?? 0) + update.bytes
    keptBack.set(stream, bytes < UPDATE_BYTES_MIN ? bytes : 0)
    return bytes < UPDATE_BYTES_MIN ? undefined : encodeWindowUpdate(update.streamId, bytes)
  }
}
