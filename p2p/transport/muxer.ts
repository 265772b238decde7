import { yamux, type YamuxMuxerInit } from '@libp2p/yamux'
import { StreamStateError, type StreamMuxerFactory } from '@libp2p/interface'
import { createInboundLimits } from './inboundLimits.ts'
import type { StrangersBudget } from './strangersBudget.ts'
import { createWindowUpdates } from './windowUpdates.ts'

/**
 * Yamux, made safe. It sends some frames in a microtask: to open a stream, and to open a window after a read. If the connection
 * ends just before, that send throws an exception which no code catches and which would end the process. Such a frame is dropped
 * here: the end of the connection ends the stream as well.
 * Inbound data is counted before it is parsed, and window updates are sent together.
 */
export const safeYamux =
  (init: YamuxMuxerInit, budget: StrangersBudget): (() => StreamMuxerFactory) =>
  () => {
    const factory = yamux(init)()
    return {
      protocol: factory.protocol,
      createStreamMuxer: connection => {
        const muxer = factory.createStreamMuxer(connection)
        createInboundLimits(connection, muxer.streams, budget)
        const send = muxer.send.bind(muxer)
        const holdBack = createWindowUpdates(id => muxer.streams.find(stream => stream.id === String(id)))
        muxer.send = data => {
          if (connection.status !== 'open') return false
          // A data frame is a list of header and data.
          const frame = data instanceof Uint8Array ? holdBack(data) : data
          if (frame === undefined) return true
          try {
            return send(frame)
          } catch (error) {
            // The socket is closing; the encryption layer learns of it once it has closed.
            if (error instanceof StreamStateError) return false
            throw error
          }
        }
        return muxer
      },
    }
  }
