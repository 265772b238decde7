import { randomBytes } from 'node:crypto'
import { connect as openSocket, type Socket } from 'node:net'
import { describe, expect, test } from 'bun:test'
import { concatBytes, equalBytes } from '../../../core/bytes/bytes.ts'
import { addressOfPublicKey, publicKeyOf } from '../../../core/crypto/crypto.ts'
import { encodeRlp } from '../../../core/rlp/rlp.ts'
import { ETH } from '../../../p2p/devp2p/ethCodes.ts'
import { openWithId } from '../../../p2p/devp2p/eth/requests.ts'
import { compressSnappy } from '../../../p2p/devp2p/snappy/compress.ts'
import { parseEnode } from '../../../p2p/transport/enode.ts'
import { until } from '../networks.ts'
import { type Devp2pStartOptions, type Devp2pTestNode, withDevp2pNodes } from './nodes.ts'
import { connectScripted, type ScriptedPeer } from './scriptedPeer.ts'

const OTHERS: Devp2pStartOptions['handlers'] = { roleOf: () => 'other' }
/** Offset of the messages of istanbul/100 behind those of eth/68. */
const ISTANBUL = 0x10 + 17
const COMMIT = 0x14

const MEBIBYTE = 1024 * 1024

const reports = (node: Devp2pTestNode, what: string): number =>
  node.lines.filter(line => line.includes(`: ${what}: `)).length

const connect = async (
  node: Devp2pTestNode,
  options: Parameters<typeof connectScripted>[1] = {},
): Promise<ScriptedPeer> => {
  const before = node.network.peers().length
  const peer = await connectScripted(node.network.enode, options)
  peer.sendStatus()
  await until(() => node.network.peers().length > before)
  return peer
}

/** An answer with this id whose rest cannot be inflated. */
const unreadable = (id: number): Uint8Array =>
  concatBytes(compressSnappy(encodeRlp([id, [randomBytes(64)]])), Uint8Array.of(0xff, 0xff))

describe('given a stranger that sends answers over devp2p', () => {
  test.each([
    ['headers', ETH.blockHeaders],
    ['bodies', ETH.blockBodies],
    ['transactions', ETH.pooledTransactions],
    ['node data', ETH.nodeData],
    ['receipts', ETH.receipts],
  ])('when nobody asked for these %s, then it loses points, and they are not inflated', async (_, code) => {
    await withDevp2pNodes(async start => {
      const node = await start({ handlers: OTHERS })
      const peer = await connect(node)
      for (let id = 90; id < 93; id++) peer.sendAsIs(0x10 + code, unreadable(id))
      await until(() => peer.isClosed())
      expect(reports(node, 'bad-response')).toBe(3)
      expect(reports(node, 'invalid-message')).toBe(0)
    })
  })

  test('when one comes after its request was given up, then it costs nothing, and the second time it does', async () => {
    await withDevp2pNodes(async start => {
      const node = await start({ handlers: OTHERS })
      const peer = await connect(node)
      const [known] = node.network.peers()
      const giveUp = new AbortController()
      const read = (async () => {
        for await (const _ of node.network.requestBlocks(known as never, 1n, 1, giveUp.signal)) break
      })().catch((error: unknown) => error)
      const { id } = openWithId(await peer.next(ETH.getBlockHeaders))
      giveUp.abort()
      await read
      peer.sendAsIs(0x10 + ETH.blockHeaders, unreadable(Number(id)))
      peer.sendEth(ETH.getReceipts, [1, []])
      await peer.next(ETH.receipts)
      expect(node.lines.some(line => line.includes('points'))).toBe(false)
      peer.sendAsIs(0x10 + ETH.blockHeaders, unreadable(Number(id)))
      await until(() => reports(node, 'bad-response') === 1)
      peer.close()
    })
  })

  test('when one is longer than what was asked for can be, then it is refused before it is inflated', async () => {
    await withDevp2pNodes(async start => {
      const node = await start({ handlers: OTHERS })
      const peer = await connect(node)
      const [known] = node.network.peers()
      const read = (async () => {
        for await (const _ of node.network.requestBlocks(known as never, 1n, 1, new AbortController().signal))
          break
      })().catch((error: unknown) => error)
      const { id } = openWithId(await peer.next(ETH.getBlockHeaders))
      peer.send(0x10 + ETH.blockHeaders, encodeRlp([id, [new Uint8Array(MEBIBYTE)]]))
      await until(() => peer.isClosed())
      expect(reports(node, 'oversized-message')).toBe(1)
      await read
    })
  })
})

/** Takes half a MiB of the budget, and 2 KiB for its frame. */
const BOMB = new Uint8Array(MEBIBYTE)

describe('given strangers that send messages which inflate to megabytes', () => {
  test('when they have used up the budget of all, then no more are inflated, and validators are heard', async () => {
    const validator = randomBytes(32)
    const address = addressOfPublicKey(publicKeyOf(validator))
    await withDevp2pNodes(async start => {
      // No time passes: nothing is allowed again.
      const node = await start({
        nowMs: () => 1_000_000,
        handlers: { roleOf: each => (equalBytes(each, address) ? 'validator' : 'other') },
      })
      const strangers: ScriptedPeer[] = []
      for (let count = 0; count < 5; count++) strangers.push(await connect(node))
      const honest = await connect(node, { privateKey: validator })
      for (let sent = 0; sent < 16; sent++) for (const peer of strangers) peer.send(ISTANBUL + COMMIT, BOMB)
      await until(() => node.consensus.length >= 40)
      for (let sent = 0; sent < 20; sent++) honest.send(ISTANBUL + COMMIT, Uint8Array.of(sent))
      const heard = (): number => node.consensus.filter(({ data }) => data.length === 1).length
      await until(() => heard() === 20)
      // 24 MiB of all, 1 MiB of each, and the one that exceeds it; 80 were sent.
      expect(node.consensus.length - heard()).toBeLessThan(56)
      for (const peer of [...strangers, honest]) peer.close()
    })
  })

  test('when others have used up the budget of all, then a stranger that sends little is heard', async () => {
    await withDevp2pNodes(async start => {
      const node = await start({ nowMs: () => 1_000_000, handlers: OTHERS })
      const loud: ScriptedPeer[] = []
      for (let count = 0; count < 5; count++) loud.push(await connect(node))
      for (let sent = 0; sent < 16; sent++) for (const peer of loud) peer.send(ISTANBUL + COMMIT, BOMB)
      await until(() => node.consensus.length >= 40)
      const calm = await connect(node)
      calm.sendEth(ETH.getReceipts, [1, [randomBytes(32)]])
      await calm.next(ETH.receipts)
      for (const peer of [...loud, calm]) peer.close()
    })
  })
})

describe('given strangers that hold all places for handshakes over devp2p', () => {
  test.each([
    ['nothing', new Uint8Array(0)],
    ['a first byte', Uint8Array.of(1)],
  ])(
    'when they send %s, and are there again once they are ended, then a node still connects',
    async (_, first) => {
      await withDevp2pNodes(async start => {
        const node = await start({ handlers: OTHERS })
        const { port } = parseEnode(node.network.enode)
        const held = new Set<Socket>()
        let ended = 0
        const hold = (): void => {
          const socket = openSocket(port, '127.0.0.1')
          held.add(socket)
          socket.on('connect', () => void socket.write(first))
          socket.on('error', () => undefined)
          socket.on('close', () => {
            ended++
            if (held.delete(socket)) setTimeout(hold, 20)
          })
        }
        try {
          for (let count = 0; count < 70; count++) hold()
          await until(() => ended > 6)
          // Nodes dial again, too.
          let peer: ScriptedPeer | undefined
          while (peer === undefined) peer = await connectScripted(node.network.enode).catch(() => undefined)
          peer.sendStatus()
          await until(() => node.network.peers().length === 1)
          peer.close()
        } finally {
          const all = [...held]
          held.clear()
          for (const socket of all) socket.destroy()
        }
      })
    },
  )
})
