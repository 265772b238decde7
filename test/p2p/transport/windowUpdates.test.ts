import { connect, createServer, type AddressInfo, type Socket } from 'node:net'
import { describe, expect, setDefaultTimeout, test } from 'bun:test'
import { toHex } from '../../../core/bytes/hex.ts'
import { addressOfPrivateKey } from '../../../core/crypto/crypto.ts'
import { formatEnode, parseEnode } from '../../../p2p/transport/enode.ts'
import { createWindowUpdates } from '../../../p2p/transport/windowUpdates.ts'
import { decodeWindowUpdate, encodeWindowUpdate } from '../../../p2p/transport/yamuxFrames.ts'
import { exclusiveTurn } from '../../../runtime/scheduler.ts'
import { patternOf, withNodes } from '../networks.ts'
import { until } from '../../support/until.ts'

setDefaultTimeout(120_000)

const HALF_WINDOW = 128 * 1024
/** Of yamux's header: the flag of a frame that ends a stream. */
const FIN = 4

/** As it goes over the connection: enciphered, with its length before it and a tag behind. */
const FRAME_BYTES_MIN = 2 + 12 + 16
const MESSAGES = 400

const withFlags = (frame: Uint8Array, flags: number): Uint8Array => {
  frame[3] = flags
  return frame
}

const gathering = () => {
  const streams = new Map<number, object>([1, 3].map(id => [id, {}]))
  const gather = createWindowUpdates(id => streams.get(id))
  return { streams, gather: (frame: Uint8Array) => gather(frame) }
}

describe('given window updates of a stream', () => {
  test('when the numbers are the largest, then they are encoded big-endian, and decode again', () => {
    const frame = encodeWindowUpdate(0xfffefdfc, 0x80010203)
    expect(toHex(frame)).toBe('0x00010000fffefdfc80010203')
    const update = { flags: 0x8004, streamId: 0xfffefdfc, bytes: 0x80010203 }
    frame[2] = 0x80
    expect(decodeWindowUpdate(withFlags(frame, FIN))).toEqual(update)
  })

  test('when small ones add up to half a window, then one is sent for all of them', () => {
    const { gather } = gathering()
    const sent: (Uint8Array | undefined)[] = []
    for (let i = 0; i < 1_000; i++) sent.push(gather(encodeWindowUpdate(3, 300)))
    const passed = sent.filter(frame => frame !== undefined)
    const granted = passed.map(frame => decodeWindowUpdate(frame))
    expect(granted).toEqual([
      { streamId: 3, flags: 0, bytes: 131_100 },
      { streamId: 3, flags: 0, bytes: 131_100 },
    ])
  })

  test('when one is large, then it is sent at once', () => {
    const { gather } = gathering()
    expect(gather(encodeWindowUpdate(1, HALF_WINDOW))).toEqual(encodeWindowUpdate(1, HALF_WINDOW))
    expect(gather(encodeWindowUpdate(1, HALF_WINDOW - 1))).toBeUndefined()
    expect(gather(encodeWindowUpdate(1, 1))).toEqual(encodeWindowUpdate(1, HALF_WINDOW))
  })

  test('when there are two streams, then each has its own sum', () => {
    const { gather } = gathering()
    expect(gather(encodeWindowUpdate(1, HALF_WINDOW - 1))).toBeUndefined()
    expect(gather(encodeWindowUpdate(3, HALF_WINDOW - 1))).toBeUndefined()
    expect(gather(encodeWindowUpdate(1, 9))).toEqual(encodeWindowUpdate(1, HALF_WINDOW + 8))
  })

  test('when a frame has a flag, names an unknown stream or is no update, then it is sent unchanged', () => {
    const { gather, streams } = gathering()
    const end = withFlags(encodeWindowUpdate(1, 0), FIN)
    expect(gather(end)).toBe(end)
    streams.delete(1)
    const late = encodeWindowUpdate(1, 5)
    expect(gather(late)).toBe(late)
    const ping = Uint8Array.of(0, 2, 0, 1, 0, 0, 0, 0, 0, 0, 0, 7)
    expect(gather(ping)).toBe(ping)
  })
})

/** Passes everything on to the port, and counts what comes back from there. */
const startRelay = async (port: number) => {
  let bytes = 0
  const sockets = new Set<Socket>()
  const server = createServer(near => {
    const far = connect(port, '127.0.0.1')
    far.on('data', data => {
      bytes += data.length
    })
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(from)
      from.on('error', () => to.destroy())
      from.pipe(to)
    }
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  return {
    port: (server.address() as AddressInfo).port,
    bytes: () => bytes,
    stop: () => {
      for (const socket of sockets) socket.destroy()
      server.close()
    },
  }
}

describe('given a node that only receives', () => {
  test('when many small messages arrive, then it answers with a few frames, not with one for each', () =>
    withNodes(async start => {
      const listener = await start()
      const there = parseEnode(listener.network.enode)
      const relay = await startRelay(there.port)
      try {
        const speaker = await start({ bootnodes: [formatEnode({ ...there, port: relay.port })] })
        await until(() => listener.connections === 1 && speaker.connections === 1)
        const to = addressOfPrivateKey(listener.privateKey)
        // Opens the stream.
        speaker.network.sendConsensus([to], 0x12, patternOf(10))
        await until(() => listener.consensus.length === 1)
        await new Promise(resolve => setTimeout(resolve, 200))
        const before = relay.bytes()
        for (let i = 1; i <= MESSAGES; i++) {
          speaker.network.sendConsensus([to], 0x13, patternOf(200 + i))
          // One at a time: those that wait together go in one frame.
          while (listener.consensus.length <= i) await exclusiveTurn()
        }
        expect(relay.bytes() - before).toBeLessThan((MESSAGES / 10) * FRAME_BYTES_MIN)
      } finally {
        relay.stop()
      }
    }))
})
