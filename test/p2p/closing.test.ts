import { randomBytes } from 'node:crypto'
import type { Stream } from '@libp2p/interface'
import { expect, test } from 'bun:test'
import { createHost, startHost } from '../../p2p/host.ts'
import { nextTurn } from '../../runtime/slice.ts'
import { until } from './networks.ts'

const PROTOCOL = '/test/1'
/** More than is kept back before the window of the stream is opened again, less than the window. */
const MESSAGE_BYTES = 200 * 1024

const startedHost = async () => {
  const host = await createHost({
    privateKey: randomBytes(32),
    host: '127.0.0.1',
    port: 0,
    gater: {},
    connectionsMax: 8,
    transactionsTopic: 'transactions',
  })
  await startHost(host, '127.0.0.1', 0)
  return host
}

test('given a message, when it is read while its connection closes, then nothing throws', async () => {
  const [one, other] = await Promise.all([startedHost(), startedHost()])
  try {
    let came: Stream | undefined
    let bytes = 0
    await one.handle(PROTOCOL, stream => {
      came = stream
      stream.addEventListener('message', ({ data }) => {
        bytes += data.byteLength
        stream.pause()
      })
    })
    await other.dial(one.getMultiaddrs())
    const stream = await other.dialProtocol(one.peerId, PROTOCOL)
    stream.send(new Uint8Array(MESSAGE_BYTES))
    await until(() => bytes > 0)
    for (let i = 0; i < 50; i++) await nextTurn()
    const [connection] = one.getConnections(other.peerId)
    const isOpen = (): boolean => connection?.status === 'open'
    const closed = connection?.close()
    // The socket takes a moment to close, and what lies above it does not know yet.
    while (isOpen()) await Promise.resolve()
    expect([connection?.status, came?.readStatus]).toEqual(['closing', 'paused'])
    came?.resume()
    await closed
    expect(bytes).toBe(MESSAGE_BYTES)
  } finally {
    await Promise.all([one.stop(), other.stop()])
  }
})
