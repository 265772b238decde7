import type { Stream } from '@libp2p/interface'
import { expect, test } from 'bun:test'
import { withTwoHosts } from './networks.ts'
import { until } from '../support/until.ts'

/** More than is kept back before the window of the stream is opened again, less than the window. */
const MESSAGE_BYTES = 200 * 1024

test('given a message, when it is read while its connection closes, then nothing throws', () =>
  withTwoHosts('transactions', async (one, other) => {
    let unread: Stream | undefined
    let bytes = 0
    await one.handle('/unread/1', stream => {
      unread = stream
      stream.pause()
      stream.addEventListener('message', ({ data }) => {
        bytes += data.byteLength
      })
    })
    await one.handle('/after/1', () => undefined)
    await other.dial(one.getMultiaddrs())
    const stream = await other.dialProtocol(one.peerId, '/unread/1')
    await until(() => unread !== undefined)
    stream.send(new Uint8Array(MESSAGE_BYTES))
    // What is sent later on the same connection arrives later.
    await other.dialProtocol(one.peerId, '/after/1')
    const [connection] = one.getConnections(other.peerId)
    const isOpen = (): boolean => connection?.status === 'open'
    const closed = connection?.close()
    // The socket takes a moment to close, and what lies above it does not know yet.
    while (isOpen()) await Promise.resolve()
    expect([connection?.status, unread?.readStatus, bytes]).toEqual(['closing', 'paused', 0])
    unread?.resume()
    await closed
    expect(bytes).toBe(MESSAGE_BYTES)
  }))
