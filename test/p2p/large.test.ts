import { describe, expect, setDefaultTimeout, test } from 'bun:test'
import { concatBytes } from '../../core/bytes/bytes.ts'
import { addressOfPrivateKey, keccak256 } from '../../core/crypto/crypto.ts'
import { encodeFrame } from '../../p2p/transport/frames.ts'
import { patternOf, withNodes } from './networks.ts'
import { dialRaw } from './rawPeer.ts'
import { until } from '../support/until.ts'

setDefaultTimeout(120_000)

const FIVE_MB = 5 * 1024 * 1024

describe('given a block of 5 MB', () => {
  test('when it is sent as a consensus message, then it arrives, both ways', () =>
    withNodes(async start => {
      const a = await start()
      const b = await start({ bootnodes: [a.network.enode] })
      await until(() => a.connections === 1 && b.connections === 1)
      const data = patternOf(FIVE_MB)
      a.network.sendConsensus([addressOfPrivateKey(b.privateKey)], 0x12, data)
      b.network.sendConsensus([addressOfPrivateKey(a.privateKey)], 0x12, data)
      await until(() => a.consensus.length === 1 && b.consensus.length === 1)
      expect(keccak256(a.consensus[0]?.data as Uint8Array)).toEqual(keccak256(data))
      expect(keccak256(b.consensus[0]?.data as Uint8Array)).toEqual(keccak256(data))
    }))

  test('when it is sent, then other work runs between its parts', () =>
    withNodes(async start => {
      const a = await start()
      let pauses = 0
      const pause = async (): Promise<void> => void pauses++
      const b = await start({ bootnodes: [a.network.enode], pause })
      await until(() => a.connections === 1 && b.connections === 1)
      b.network.sendConsensus([addressOfPrivateKey(a.privateKey)], 0x12, patternOf(FIVE_MB))
      await until(() => a.consensus.length === 1)
      expect(pauses).toBeGreaterThanOrEqual(FIVE_MB / (128 * 1024))
    }))

  test('when it is announced, then it arrives', () =>
    withNodes(async start => {
      const a = await start()
      const b = await start({ bootnodes: [a.network.enode] })
      await until(() => a.connections === 1 && b.connections === 1)
      const block = patternOf(FIVE_MB)
      a.network.announceBlock(1n, keccak256(block), block)
      await until(() => b.blocks.length === 1)
      expect(keccak256(b.blocks[0]?.block as Uint8Array)).toEqual(keccak256(block))
    }))

  test('when it is requested in a range, then the answer ends after 8 MiB', () =>
    withNodes(async start => {
      const block = patternOf(FIVE_MB)
      const a = await start({
        chain: async function* (from, count) {
          for (let i = 0; i < count; i++) yield Uint8Array.of(Number(from) + i, ...block.subarray(0, 3), 0)
        },
      })
      const large = await start({
        chain: async function* (_from, count) {
          for (let i = 0; i < count; i++) yield block
        },
      })
      const b = await start({ bootnodes: [a.network.enode, large.network.enode], discovery: false })
      await until(() => b.connections === 2)
      const ask = async (enode: string, from: bigint, count: number): Promise<readonly Uint8Array[]> => {
        const peer = b.network.peers().find(each => each.enode === enode)
        if (peer === undefined) throw new Error('not connected')
        return await Array.fromAsync(b.network.requestBlocks(peer, from, count, new AbortController().signal))
      }
      const small = await ask(a.network.enode, 3n, 4)
      expect(small.map(bytes => bytes[0])).toEqual([3, 4, 5, 6])
      expect(await ask(a.network.enode, 3n, 0)).toEqual([])
      const two = await ask(large.network.enode, 1n, 10)
      expect(two.map(bytes => bytes.length)).toEqual([FIVE_MB, FIVE_MB])
      expect(keccak256(two[1] as Uint8Array)).toEqual(keccak256(block))
    }))
})

describe('given a new block', () => {
  test('when a node announced it, or gets two announcements, then it is sent no second copy', () =>
    withNodes(async start => {
      const a = await start()
      const b = await start({ bootnodes: [a.network.enode] })
      const c = await start({ bootnodes: [a.network.enode, b.network.enode] })
      await until(() => [a, b, c].every(node => node.network.peers().length === 2))
      const block = patternOf(1000)
      const hash = keccak256(block)
      a.network.announceBlock(1n, hash, block)
      b.network.announceBlock(1n, hash, block)
      await until(() => c.blocks.length > 0)
      c.network.announceBlock(1n, hash, block)
      a.network.announceBlock(2n, keccak256(hash), patternOf(1001))
      await until(() => b.blocks.length > 0 && c.blocks.length > 1)
      expect(c.blocks.map(({ block }) => block.length)).toEqual([1000, 1001])
      expect(b.blocks.at(-1)?.block.length).toBe(1001)
      expect(a.blocks).toEqual([])
    }))

  test('when the first announcer sent a wrong one, then the next one is asked', () =>
    withNodes(async start => {
      const liar = await start()
      const honest = await start()
      const node = await start({ bootnodes: [liar.network.enode, honest.network.enode], discovery: false })
      await until(() => node.connections === 2)
      const block = patternOf(1000)
      const hash = keccak256(block)
      liar.network.announceBlock(1n, hash, patternOf(999))
      await until(() => node.blocks.length === 1)
      honest.network.announceBlock(1n, hash, block)
      // The second announcement is behind the status that follows it.
      const told = node.statuses.length
      honest.network.sendStatus()
      await until(() => node.statuses.length > told)
      node.network.reportMisbehaviour(addressOfPrivateKey(liar.privateKey), 'invalid-block', 'wrong')
      await until(() => node.blocks.length === 2)
      expect(node.blocks[1]?.block).toEqual(block)
      await until(() => node.network.peers().length === 1)
    }))
})

describe('given a block with many announcers', () => {
  test('when one that lacks it announces it repeatedly, then an honest peer is asked soon', () =>
    withNodes(async start => {
      const node = await start()
      const honest = await start({ bootnodes: [node.network.enode], discovery: false })
      const raw = await dialRaw(node.network.enode)
      try {
        await raw.shakeHands()
        await until(() => node.connections === 2 && honest.connections === 1)
        const block = patternOf(1000)
        const hash = keccak256(block)
        const stream = await raw.open(raw.protocols.blocks)
        const announcement = new Uint8Array(41)
        announcement.set(hash, 1)
        announcement[40] = 1
        for (let i = 0; i < 40; i++) stream.send(encodeFrame(announcement))
        // Behind the announcements of the other peer, which would all be asked first.
        await Bun.sleep(200)
        honest.network.announceBlock(1n, hash, block)
        await until(() => node.blocks.length === 1)
        expect(node.blocks[0]?.block).toEqual(block)
      } finally {
        await raw.stop()
      }
    }))
})

describe('given a block that arrives slowly', () => {
  test('when it arrives after the next announcer was asked, then it is accepted', () =>
    withNodes(async start => {
      const node = await start()
      const raw = await dialRaw(node.network.enode)
      try {
        const asked = Promise.withResolvers<void>()
        await raw.host.unhandle(raw.protocols.blocks)
        await raw.host.handle(raw.protocols.blocks, () => asked.resolve())
        await raw.shakeHands()
        await until(() => node.connections === 1)
        const block = patternOf(1000)
        const hash = keccak256(block)
        const stream = await raw.open(raw.protocols.blocks)
        stream.send(encodeFrame(concatBytes(Uint8Array.of(0), hash, new Uint8Array(8).fill(1))))
        await asked.promise
        // Longer than the wait before the next announcer is asked.
        await Bun.sleep(4_000)
        stream.send(encodeFrame(concatBytes(Uint8Array.of(2), hash, block)))
        await until(() => node.blocks.length === 1)
        expect(node.blocks[0]?.block).toEqual(block)
      } finally {
        await raw.stop()
      }
    }))
})

describe('given a range request', () => {
  test('when the peer disconnects, its handler fails or the request is cancelled, then it ends with an error', () =>
    withNodes(async start => {
      let fail = (): void => undefined
      const a = await start({
        chain: async function* (from) {
          yield Uint8Array.of(1)
          if (from === 0n) throw new Error('disk')
          await new Promise<void>(resolve => {
            fail = resolve
          })
        },
      })
      const b = await start({ bootnodes: [a.network.enode] })
      await until(() => b.connections === 1)
      const [peer] = b.network.peers()
      if (peer === undefined) throw new Error('not connected')
      const read = async (from: bigint, onBlock: () => void): Promise<string> => {
        const abort = new AbortController()
        const stop = (): void => (onBlock === unwanted ? abort.abort() : onBlock())
        try {
          for await (const _ of b.network.requestBlocks(peer, from, 10, abort.signal)) stop()
          return 'no error'
        } catch (cause) {
          return (cause as { code?: string }).code ?? String(cause)
        }
      }
      const unwanted = (): void => undefined
      expect(await read(0n, () => undefined)).toBe('NOT_CONNECTED')
      expect(await read(1n, unwanted)).toBe('NOT_CONNECTED')
      fail()
      expect(await read(1n, () => void a.stop())).toBe('NOT_CONNECTED')
      fail()
      await until(() => b.network.peers().length === 0)
      expect(() => b.network.requestBlocks(peer, 0n, 1, new AbortController().signal)).toThrow(
        'not connected',
      )
    }))
})
