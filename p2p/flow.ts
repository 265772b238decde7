import type { Stream } from '@libp2p/interface'

export type Flow = {
  pause(): void
  resume(): void
}

/**
 * Pausing and resuming a stream's reader. A stream that is paused by a message it hands over while it resumes would
 * go on telling the sender to send: such a pause has to wait until it has resumed.
 */
export const createFlow = (stream: Stream): Flow => {
  let resuming = false
  let wanted = false

  const canRead = (): boolean => stream.readStatus === 'readable' || stream.readStatus === 'paused'

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
