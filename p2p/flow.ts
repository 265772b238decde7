import type { MessageStream, Stream } from '@libp2p/interface'

export type Flow = {
  pause(): void
  resume(): void
}

/**
 * Pausing and resuming a stream's reader. A stream that is paused by a message it hands over while it resumes would
 * go on telling the sender to send: such a pause has to wait until it has resumed.
 */
export const createFlow = (stream: Pick<MessageStream, 'pause' | 'resume'>, canRead: () => boolean): Flow => {
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

/** The same for a stream of a connection. */
export const flowOf = (stream: Stream): Flow =>
  createFlow(stream, () => stream.readStatus === 'readable' || stream.readStatus === 'paused')
