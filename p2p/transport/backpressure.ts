import type { MessageStream, Stream } from '@libp2p/interface'

export type Backpressure = {
  pause(): void
  resume(): void
}

/**
 * Pauses and resumes the reader of a stream. `resume` delivers messages and then opens the window, even if one of the
 * messages paused the stream: such a pause takes effect after `resume` has returned.
 */
export const createBackpressure = (
  stream: Pick<MessageStream, 'pause' | 'resume'>,
  canRead: () => boolean,
): Backpressure => {
  let resuming = false
  let wanted = false

  return {
    pause: () => {
      wanted = true
      if (!resuming && canRead()) stream.pause()
    },
    resume: () => {
      wanted = false
      if (resuming || !canRead()) return
      resuming = true
      stream.resume()
      resuming = false
      if (wanted && canRead()) stream.pause()
    },
  }
}

/** Backpressure for a stream of a connection. */
export const backpressureOf = (stream: Stream): Backpressure =>
  createBackpressure(stream, () => stream.readStatus === 'readable' || stream.readStatus === 'paused')
