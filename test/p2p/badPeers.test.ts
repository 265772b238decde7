import { describe, expect, setDefaultTimeout, test } from 'bun:test'
import { randomBytes } from 'node:crypto'
import { addressOfPrivateKey } from '../../core/crypto/crypto.ts'
import { encodeFrame, encodeLength } from '../../p2p/transport/frames.ts'
import { STATUS_PROTOCOL } from '../../p2p/transport/protocols.ts'
import { type Node, type StartOptions, withNodes } from './networks.ts'
import { dialRaw, type RawPeer } from './rawPeer.ts'
import { independent } from '../support/scenario.ts'
import { until } from '../support/until.ts'

setDefaultTimeout(120_000)

const withRaw = (
  run: (node: Node, dial: (privateKey?: Uint8Array) => Promise<RawPeer>) => Promise<void>,
  options: StartOptions = {},
): Promise<void> =>
  withNodes(async start => {
    const node = await start(options)
    const raws: RawPeer[] = []
    try {
      await run(node, async privateKey => {
        const raw = await dialRaw(node.network.enode, privateKey)
        raws.push(raw)
        return raw
      })
    } finally {
      await Promise.all(raws.map(raw => raw.stop()))
    }
  })

const warned = (node: Node, what: string): boolean =>
  node.lines.some(({ text, values }) => text.includes('is banned for') && values?.['what'] === what)

describe('given a peer that breaks the rules', () => {
  independent('given a message that claims more than 16 MiB, then it is banned', () =>
    withRaw(async (node, dial) => {
      const privateKey = randomBytes(32)
      const raw = await dial(privateKey)
      await raw.shakeHands()
      await until(() => node.connections === 1)
      const stream = await raw.open(raw.protocols.consensus)
      stream.send(encodeLength(17 * 1024 * 1024))
      await until(() => !raw.isConnected && node.disconnected.length === 1)
      expect(warned(node, 'oversized-message')).toBe(true)
      await raw.stop()
      const again = await dial(privateKey).catch(() => undefined)
      await until(() => again?.isConnected !== true)
      expect(node.connections).toBe(1)
    }),
  )

  independent('given a status that is invalid, too long, or sent twice, then it is disconnected', () =>
    withRaw(async (node, dial) => {
      const none = await dial()
      const stream = await none.open(STATUS_PROTOCOL)
      stream.send(encodeFrame(Uint8Array.of(0, 1, 2, 3)))
      await until(() => !none.isConnected)
      const long = await dial()
      const other = await long.open(STATUS_PROTOCOL)
      other.send(encodeLength(300 * 1024))
      await until(() => !long.isConnected)
      const twice = await dial()
      await twice.shakeHands()
      await twice.shakeHands()
      await until(() => !twice.isConnected)
      const many = await dial()
      await many.shakeHands({
        configuration: Object.fromEntries(Array.from({ length: 2000 }, (_, i) => [`entry${i}`, 'x'])),
      })
      await until(() => !many.isConnected)
      expect(node.network.peers()).toEqual([])
    }),
  )

  independent('given no status, then its other messages are not read, and it is disconnected', () =>
    withRaw(
      async (node, dial) => {
        const raw = await dial()
        const stream = await raw.open(raw.protocols.consensus)
        stream.send(encodeFrame(Uint8Array.of(1, 2, 3)))
        await until(() => !raw.isConnected)
        expect(node.consensus).toEqual([])
        expect(node.connections).toBe(0)
      },
      { nowMs: () => 20 * Date.now() },
    ),
  )

  independent('given an empty consensus message or an invalid block message, then it is disconnected', () =>
    withRaw(async (node, dial) => {
      for (const what of ['consensus', 'blocks'] as const) {
        const raw = await dial()
        await raw.shakeHands()
        await until(() => node.network.peers().length === 1)
        const stream = await raw.open(raw.protocols[what])
        stream.send(encodeFrame())
        await until(() => !raw.isConnected && node.network.peers().length === 0)
      }
    }),
  )

  // Not concurrent: it measures the memory of this process.
  test('given a flood, then it is read at the allowed rate, scored, and memory stays', () =>
    withRaw(async (node, dial) => {
      const raw = await dial()
      await raw.shakeHands()
      await until(() => node.connections === 1)
      const stream = await raw.open(raw.protocols.consensus)
      const message = encodeFrame(Uint8Array.of(1), new Uint8Array(400))
      const flood = new Uint8Array(message.length * 1000)
      for (let i = 0; i < 1000; i++) flood.set(message, i * message.length)
      Bun.gc(true)
      const before = process.memoryUsage().rss
      let offered = 0
      while (raw.isConnected && offered < 100_000) {
        stream.send(flood)
        offered += 1000
        await until(() => !raw.isConnected || stream.writeBufferLength < 1_000_000, { pollMs: 1 })
      }
      await until(() => !raw.isConnected)
      expect(warned(node, 'flooding')).toBe(true)
      expect(node.consensus.length).toBeLessThan(50_000)
      Bun.gc(true)
      expect(process.memoryUsage().rss - before).toBeLessThan(64 * 1024 * 1024)
    }))

  independent(
    'given several reports, then it is banned when they add up, and forgiven when the operator adds it',
    () =>
      withNodes(async start => {
        const a = await start({ discovery: false })
        const b = await start({ discovery: false, bootnodes: [a.network.enode] })
        await until(() => a.connections === 1 && b.connections === 1)
        const address = addressOfPrivateKey(b.privateKey)
        a.network.reportMisbehaviour(address, 'bad-response', 'one')
        a.network.reportMisbehaviour(address, 'bad-response', 'two')
        expect(a.network.peers().length).toBe(1)
        a.network.reportMisbehaviour(address, 'bad-response', 'three')
        await until(() => a.network.peers().length === 0 && b.disconnected.length === 1)
        expect(b.disconnected[0]?.reason).toBe('the peer closed it: banned: bad-response')
        await a.network.addPeer(b.network.enode)
        await until(() => a.network.peers().length === 1)
      }),
  )

  independent(
    'given more than a hundred nodes from one address, then a node with a small limit of peers keeps to it',
    () =>
      withRaw(
        async (node, dial) => {
          const raws = await Promise.all(Array.from({ length: 20 }, () => dial()))
          await Promise.all(raws.map(raw => raw.shakeHands().catch(() => undefined)))
          await until(() => raws.filter(raw => raw.isConnected).length === 3)
          expect(node.network.peers().length).toBe(3)
          expect(node.connections).toBe(3)
        },
        { maxPeers: 3 },
      ),
  )
})
