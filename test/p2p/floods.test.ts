import { describe, expect, setDefaultTimeout, test } from 'bun:test'
import { randomBytes } from 'node:crypto'
import { createInboundConnectionLimit } from '../../p2p/transport/inboundConnectionLimit.ts'
import { encodeFrame } from '../../p2p/transport/frames.ts'
import { createFrameCounter } from '../../p2p/transport/yamuxFrames.ts'
import { type Node, type StartOptions, withNodes } from './networks.ts'
import { dialRaw, type RawPeer } from './rawPeer.ts'
import { until } from '../support/until.ts'
import { turns } from '../support/turns.ts'

setDefaultTimeout(120_000)

const FLOOD = 20_000
const MESSAGE = encodeFrame(Uint8Array.of(0x13), new Uint8Array(180))

const withFlooder = (
  run: (
    node: Node,
    dial: () => Promise<RawPeer>,
    start: (options?: StartOptions) => Promise<Node>,
  ) => Promise<void>,
  options: StartOptions = {},
): Promise<void> =>
  withNodes(async start => {
    const node = await start({ discovery: false, ...options })
    const privateKey = randomBytes(32)
    const raws: RawPeer[] = []
    try {
      await run(
        node,
        async () => {
          const raw = await dialRaw(node.network.enode, privateKey)
          raws.push(raw)
          return raw
        },
        start,
      )
    } finally {
      await Promise.all(raws.map(raw => raw.stop()))
    }
  })

/** Sends copies of a message, each in its own frame, until all are sent or the node disconnects. */
const flood = async (raw: RawPeer, frame: Uint8Array, count: number): Promise<void> => {
  const stream = await raw.open(raw.protocols.consensus)
  for (let sent = 0; sent < count && raw.isConnected && stream.status === 'open'; ) {
    for (let i = 0; i < 100 && stream.status === 'open'; i++, sent++) stream.send(frame)
    await until(() => !raw.isConnected || stream.status !== 'open' || stream.writeBufferLength <= 100_000, {
      pollMs: 5,
    })
  }
}

/** Longer than a reader pauses. */
const QUIET_MS = 400

/** Resolves when no message arrived for QUIET_MS. */
const untilQuiet = async (node: Node): Promise<void> => {
  for (let heard = -1; heard < node.consensus.length; ) {
    heard = node.consensus.length
    await Bun.sleep(QUIET_MS)
  }
}

const isBanned = (node: Node, what: string): boolean =>
  node.lines.some(({ text, values }) => text.includes('is banned for') && values?.['what'] === what)

describe('given a flood of consensus messages', () => {
  test('when an unknown node sends it, then some hundred are read, it is banned, and others are read meanwhile', () =>
    withFlooder(
      async (node, dial, start) => {
        const honest = await start({ discovery: false, bootnodes: [node.network.enode] })
        await until(() => node.connections === 1)
        const raw = await dial()
        await raw.shakeHands()
        await until(() => node.connections === 2)
        const flooding = flood(raw, MESSAGE, FLOOD)
        const to = honest.network.peers()[0]?.address as Uint8Array
        for (let i = 0; i < 20; i++) honest.network.sendConsensus([to], 0x12, Uint8Array.of(i))
        await until(() => node.consensus.filter(({ code }) => code === 0x12).length === 20)
        await flooding
        await until(() => !raw.isConnected)
        expect(isBanned(node, 'flooding')).toBe(true)
        expect(node.consensus.filter(({ code }) => code === 0x13).length).toBeLessThan(1_500)
        const again = await dial().catch(() => undefined)
        await until(() => again?.isConnected !== true)
        expect(node.network.peers().length).toBe(1)
      },
      { roleOf: () => 'other' },
    ))

  test('when a validator sends it, then the burst of an honest one is read, and a longer one bans it', () =>
    withFlooder(async (node, dial) => {
      const raw = await dial()
      await raw.shakeHands()
      await until(() => node.connections === 1)
      await flood(raw, MESSAGE, FLOOD)
      await until(() => !raw.isConnected)
      expect(isBanned(node, 'flooding')).toBe(true)
      expect(node.consensus.length).toBeGreaterThanOrEqual(3_000)
      expect(node.consensus.length).toBeLessThan(10_000)
    }))

  test('when it comes over several streams and connections, then they count together', () =>
    withFlooder(
      async (node, dial) => {
        for (let connection = 0; connection < 4 && !isBanned(node, 'flooding'); connection++) {
          const raw = await dial()
          await raw.shakeHands()
          await until(() => node.network.peers().length === 1)
          await flood(raw, MESSAGE, 400)
          await flood(raw, MESSAGE, 400)
          await untilQuiet(node)
          await raw.stop()
          await until(() => node.network.peers().length === 0)
        }
        expect(node.consensus.length).toBeLessThan(1_500)
      },
      { roleOf: () => 'other' },
    ))

  test('when it consists of the smallest frames, then reading pauses, and the peer is banned', () =>
    withFlooder(async (node, dial) => {
      const raw = await dial()
      await raw.shakeHands()
      await until(() => node.connections === 1)
      // Each is one byte of a message that never ends.
      const stream = await raw.open(raw.protocols.consensus)
      stream.send(Uint8Array.of(0, 100, 0, 0))
      while (raw.isConnected && stream.status === 'open') {
        for (let i = 0; i < 500 && stream.status === 'open'; i++) stream.send(Uint8Array.of(0))
        await turns(1)
      }
      await until(() => !raw.isConnected)
      expect(isBanned(node, 'flooding')).toBe(true)
      expect(node.consensus).toEqual([])
    }))
})

describe('given honest nodes that send as fast as they can', () => {
  const isBlamed = (node: Node): boolean => node.lines.some(({ values }) => values?.['what'] === 'flooding')

  test('when forty thousand small blocks cross in ranges, then no flooding is reported', () =>
    withNodes(async start => {
      const block = new Uint8Array(600)
      const server = await start({
        chain: async function* (_from, count) {
          for (let i = 0; i < count; i++) yield block
        },
      })
      const client = await start({ discovery: false, bootnodes: [server.network.enode] })
      await until(() => client.connections === 1 && server.connections === 1)
      const [peer] = client.network.peers()
      if (peer === undefined) throw new Error('not connected')
      let blocks = 0
      const read = async (): Promise<void> => {
        for (let range = 0; range < 10; range++)
          for await (const _ of client.network.requestBlocks(peer, 0n, 1024, new AbortController().signal))
            blocks++
      }
      await Promise.all([read(), read(), read(), read()])
      expect(blocks).toBe(40 * 1024)
      expect([isBlamed(server), isBlamed(client)]).toEqual([false, false])
    }))

  test('when a validator sends a full queue at once, then all of it is read, and no flooding is reported', () =>
    withNodes(async start => {
      const node = await start({ discovery: false })
      const validator = await start({ discovery: false, bootnodes: [node.network.enode] })
      await until(() => validator.connections === 1 && node.connections === 1)
      const to = validator.network.peers()[0]?.address as Uint8Array
      for (let burst = 0; burst < 2; burst++) {
        for (let i = 0; i < 1_024; i++) validator.network.sendConsensus([to], 0x13, new Uint8Array(180))
        await until(() => node.consensus.length === (burst + 1) * 1_024)
      }
      expect(isBlamed(node)).toBe(false)
    }))
})

describe('given inbound connections', () => {
  const arrivalsAt = (clock: { now: number }) => createInboundConnectionLimit(() => clock.now)

  test('when too many unknown nodes connect from one address, then that address has to wait, and others do not', () => {
    const clock = { now: 0 }
    const arrivals = arrivalsAt(clock)
    const admitted = Array.from({ length: 300 }, (_, n) => arrivals.admits('10.0.0.1', `${n}`, false))
    expect(admitted.filter(Boolean).length).toBeLessThan(150)
    expect(arrivals.admits('10.0.0.2', 'a', false)).toBe(true)
    expect(arrivals.admits('10.0.0.1', 'validator', true)).toBe(true)
    clock.now = 2_000
    expect(arrivals.admits('10.0.0.1', 'b', false)).toBe(true)
  })

  test('when unknown nodes are banned for flooding, then their address may connect one node a minute', () => {
    const clock = { now: 0 }
    const arrivals = arrivalsAt(clock)
    let floods = 0
    for (; clock.now < 3_600_000; clock.now += 100)
      if (arrivals.admits('10.0.0.1', `${clock.now}`, false)) {
        arrivals.flooded('10.0.0.1')
        floods++
      }
    expect(floods).toBeLessThan(64)
    expect(floods).toBeGreaterThan(50)
  })

  test('when a banned node keeps dialing, then few handshakes are made, and a static node still gets in', () => {
    const clock = { now: 0 }
    const arrivals = arrivalsAt(clock)
    let handshakes = 0
    for (; clock.now < 60_000; clock.now += 10)
      if (arrivals.admitsHandshake('10.0.0.1')) {
        arrivals.refusedBanned('10.0.0.1')
        handshakes++
      }
    expect(handshakes).toBeLessThan(200)
    for (let dials = 0; dials < 100; dials++) {
      clock.now += 4_000
      expect(arrivals.admitsHandshake('10.0.0.1')).toBe(true)
      arrivals.refusedBanned('10.0.0.1')
    }
  })
})

describe('given frames of yamux', () => {
  const frame = (type: number, length: number): Uint8Array => {
    const bytes = new Uint8Array(12 + (type === 0 ? length : 0))
    bytes[1] = type
    new DataView(bytes.buffer).setUint32(8, length)
    return bytes
  }

  test('when data and control frames arrive in pieces of any size, then each is counted once', () => {
    const bytes = Buffer.concat([frame(0, 300), frame(1, 262_144), frame(2, 7), frame(0, 0), frame(0, 1)])
    for (const size of [1, 5, 12, 13, 100, bytes.length]) {
      const count = createFrameCounter()
      let frames = 0
      for (let offset = 0; offset < bytes.length; offset += size)
        frames += count(bytes.subarray(offset, offset + size))
      expect(frames).toBe(5)
    }
  })
})
