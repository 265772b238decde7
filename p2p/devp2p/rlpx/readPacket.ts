import type { Socket } from 'node:net'
import { concatBytes, EMPTY_BYTES } from '../../../core/bytes/bytes.ts'
import { ENDED_HANDSHAKE } from '../../error.ts'
import { RlpxError } from './error.ts'
import { PACKET_BYTES_MAX, SIZE_BYTES } from './handshakePackets.ts'

/** A packet of the handshake with its size, and what arrived behind it. */
type ReceivedPacket = { readonly packet: Uint8Array; readonly rest: Uint8Array }

/** The first bytes of a connection over libp2p: the length of `/multistream/1.0.0`, and its slash. */
const LIBP2P_START = 0x132f

/** Length of the packet whose first bytes these are; undefined while its size is not there. @throws RlpxError */
const lengthOf = (bytes: Uint8Array): number | undefined => {
  const [high, low] = bytes
  if (high === undefined || low === undefined) return undefined
  const size = high * 256 + low
  if (size === LIBP2P_START) throw new RlpxError('the other node runs with another --p2p-protocol: libp2p')
  if (size > PACKET_BYTES_MAX) throw new RlpxError('the handshake failed')
  return SIZE_BYTES + size
}

/**
 * Reads one packet of the handshake. The socket is paused afterwards.
 * @throws RlpxError when the packet is too large, or the socket ends before it is complete
 */
export const readPacket = (socket: Socket, onFirst?: () => void): Promise<ReceivedPacket> =>
  new Promise((resolve, reject) => {
    let received = EMPTY_BYTES
    const end = (): void => {
      socket.off('data', onData)
      socket.off('close', onClose)
    }
    const onClose = (): void => {
      end()
      reject(new RlpxError(ENDED_HANDSHAKE))
    }
    const onData = (data: Uint8Array): void => {
      if (received.length === 0) onFirst?.()
      received = received.length === 0 ? new Uint8Array(data) : concatBytes(received, data)
      try {
        const length = lengthOf(received)
        if (length === undefined || received.length < length) return
        end()
        socket.pause()
        resolve({ packet: received.subarray(0, length), rest: received.subarray(length) })
      } catch (error) {
        end()
        reject(error)
      }
    }
    socket.on('data', onData)
    socket.on('close', onClose)
    socket.resume()
  })
