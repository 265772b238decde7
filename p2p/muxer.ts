import { yamux, type YamuxMuxerInit } from '@libp2p/yamux'
import { StreamStateError, type StreamMuxerFactory } from '@libp2p/interface'
import { createIntake } from './intake.ts'
import { createWindowUpdates } from './windowUpdates.ts'

/**
 * Yamux, which sends frames of its own accord: in a microtask to open a stream, after what was read to open its window.
 * Where the connection ends just before, its send throws with nobody there to catch, and the process would end. Here such
 * a frame is not sent: the end of the connection ends the stream, too.
 * What comes in is metered before it is taken apart; window updates go out together.
 */
export const safeYamux =
  (init: YamuxMuxerInit): (() => StreamMuxerFactory) =>
  () => {
    const factory = yamux(init)()
    return {
      protocol: factory.protocol,
      createStreamMuxer: connection => {
        const muxer = factory.createStreamMuxer(connection)
        createIntake(connection, muxer.streams)
        const send = muxer.send.bind(muxer)
        const gather = createWindowUpdates(id => muxer.streams.find(stream => stream.id === String(id)))
        muxer.send = data => {
          if (connection.status !== 'open') return false
          // Data comes as a list of its header and itself.
          const frame = data instanceof Uint8Array ? gather(data) : data
          if (frame === undefined) return true
          try {
            return send(frame)
          } catch (error) {
            // The socket closes already; the encryption above it hears of it once it has.
            if (error instanceof StreamStateError) return false
            throw error
          }
        }
        return muxer
      },
    }
  }
