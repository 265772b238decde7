import { yamux, type YamuxMuxerInit } from '@libp2p/yamux'
import type { StreamMuxerFactory } from '@libp2p/interface'
import { createIntake } from './intake.ts'
import { createWindowUpdates } from './windowUpdates.ts'

/**
 * Yamux, which opens a stream by a frame that it sends in a microtask. Where the connection ends just before, its send
 * throws with nobody there to catch, and the process would end. Here such a frame is not sent: the end of the
 * connection ends the stream, too.
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
          return frame === undefined || send(frame)
        }
        return muxer
      },
    }
  }
