import { randomBytes } from 'node:crypto'
import { describe, expect, test } from 'bun:test'
import { keccak256, publicKeyOf } from '../../../core/crypto/crypto.ts'
import { concatBytes } from '../../../core/bytes/bytes.ts'
import { toHex } from '../../../core/bytes/hex.ts'
import { formatEnode } from '../../../p2p/transport/enode.ts'
import { someTransaction } from '../networks.ts'
import { BLOCKS, type Devp2pTestNode, statusAt, withDevp2pNodes } from './nodes.ts'
import type { SampleBlock } from './sampleBlocks.ts'
import { until } from '../../support/until.ts'

const block = (number: number): SampleBlock => BLOCKS[number] as SampleBlock

const peerOf = (node: Devp2pTestNode) => {
  const [peer] = node.network.peers()
  if (peer === undefined) throw new Error('no peer')
  return peer
}

const connected = (...nodes: readonly Devp2pTestNode[]): Promise<true> =>
  until(() => nodes.every(node => node.network.peers().length > 0))

describe('two nodes over devp2p', () => {
  test('given one that dials the other, then both know key, head and protocols of the other', async () => {
    await withDevp2pNodes(async start => {
      const listener = await start({ status: statusAt(block(500)) })
      const dialer = await start({ staticNodes: [listener.network.enode] })
      await connected(listener, dialer)
      const withoutQuery = ({ network }: Devp2pTestNode): string => network.enode.replace('?discport=0', '')
      expect(peerOf(dialer)).toMatchObject({ enode: withoutQuery(listener), inbound: false })
      expect(peerOf(dialer).status).toMatchObject({ headNumber: 500n, headHash: block(500).hash })
      expect(peerOf(dialer).capabilities).toEqual(['eth/66', 'eth/68', 'eth/69', 'istanbul/100', 'quorate/1'])
      expect(peerOf(listener)).toMatchObject({ enode: withoutQuery(dialer), inbound: true })
    })
  })

  test('given a node that has removed old blocks, then the other knows the first one that it keeps, and each later one', async () => {
    await withDevp2pNodes(async start => {
      const listener = await start({ status: statusAt(block(500), { historyStart: 300n }) })
      const dialer = await start({ staticNodes: [listener.network.enode] })
      await connected(listener, dialer)
      expect(peerOf(dialer).status).toMatchObject({ headNumber: 500n, historyStart: 300n })
      expect(peerOf(listener).status.historyStart).toBeUndefined()
      listener.status = statusAt(block(600), { historyStart: 400n })
      listener.network.sendStatus()
      await until(() => peerOf(dialer).status.historyStart === 400n)
      expect(peerOf(dialer).status.headNumber).toBe(600n)
    })
  })

  test('given a node with blocks, when they are requested, then they arrive in order with their bodies', async () => {
    await withDevp2pNodes(async start => {
      const server = await start({ status: statusAt(block(699)) })
      const client = await start({ staticNodes: [server.network.enode] })
      await connected(client)
      const received: Uint8Array[] = []
      const blocks = client.network.requestBlocks(peerOf(client), 10n, 600, new AbortController().signal)
      for await (const each of blocks) received.push(each)
      expect(received).toEqual(BLOCKS.slice(10, 610).map(({ block }) => block))
    })
  })

  test('given a node that syncs as fast as it can, then each of its requests is answered', async () => {
    await withDevp2pNodes(async start => {
      const server = await start({ status: statusAt(block(699)) })
      const client = await start({ staticNodes: [server.network.enode] })
      await connected(client)
      const { signal } = new AbortController()
      for (let request = 0; request < 300; request++) {
        const [first] = await Array.fromAsync(client.network.requestBlocks(peerOf(client), 2n, 1, signal))
        expect(first).toEqual(block(2).block)
      }
    })
  })

  test('given validators, when one sends QBFT messages, then the other has them, and no other codes', async () => {
    await withDevp2pNodes(async start => {
      const one = await start()
      const other = await start({ staticNodes: [one.network.enode] })
      await connected(one, other)
      const to = [peerOf(other).address]
      const data = randomBytes(300)
      for (const code of [0x60, 0x12, 0x13, 0x14, 0x15]) other.network.sendConsensus(to, code, data)
      await until(() => one.consensus.length === 4)
      expect(one.consensus.map(({ code }) => code)).toEqual([0x12, 0x13, 0x14, 0x15])
      expect(one.consensus[0]).toMatchObject({ from: toHex(peerOf(one).address), data: new Uint8Array(data) })
      expect(other.network.sendConsensus([new Uint8Array(20)], 0x12, data)).toBe(0)
    })
  })

  test('given a new block, then followers get it in full or fetch it by its hash, and know the new head', async () => {
    await withDevp2pNodes(async start => {
      const maker = await start({ handlers: { roleOf: () => 'other' }, status: statusAt(block(500)) })
      const options = { staticNodes: [maker.network.enode], status: statusAt(block(500)) }
      const followers = [await start(options), await start(options), await start(options)]
      await until(() => maker.network.peers().length === 3)
      await connected(...followers)
      maker.status = statusAt(block(501))
      maker.network.announceBlock(501n, block(501).hash, block(501).block)
      await until(() => followers.every(({ blocks }) => blocks.length === 1))
      for (const { blocks } of followers) expect(blocks).toEqual([block(501).block])
      for (const follower of followers) expect(peerOf(follower).status.headNumber).toBe(501n)
    })
  })

  test('given transactions, then all nodes have them, also those that are connected through another', async () => {
    await withDevp2pNodes(async start => {
      const pool = new Map<string, Uint8Array>()
      const source = await start({
        handlers: {
          poolTransactions: async function* (hashes) {
            for (let at = 0; at < hashes.length; at += 32) {
              const found = pool.get(toHex(hashes.subarray(at, at + 32)))
              if (found !== undefined) yield found
            }
          },
        },
      })
      const middles = [await start({ staticNodes: [source.network.enode] })]
      middles.push(await start({ staticNodes: [source.network.enode] }))
      middles.push(await start({ staticNodes: [source.network.enode] }))
      const end = await start({ staticNodes: [middles[0]?.network.enode as string] })
      await connected(end)
      await until(() => source.network.peers().length === 3)
      const transactions = Array.from({ length: 5 }, () => someTransaction(20))
      for (const each of transactions) pool.set(toHex(keccak256(each)), each)
      source.network.announceTransactions(transactions)
      const sorted = (list: readonly Uint8Array[]): readonly string[] => list.map(toHex).sort()
      await until(() => middles.every(node => node.transactions.length === 5))
      for (const node of middles) expect(sorted(node.transactions)).toEqual(sorted(transactions))
      await until(() => end.transactions.length === 5)
    })
  })

  test('given a pool with transactions, when a node connects, then it fetches them', async () => {
    await withDevp2pNodes(async start => {
      const transactions = Array.from({ length: 300 }, () => someTransaction(20))
      const byHash = new Map(transactions.map(each => [toHex(keccak256(each)), each]))
      const holder = await start({
        handlers: {
          poolHashes: async function* () {
            yield concatBytes(...transactions.map(keccak256))
          },
          poolTransactions: async function* (hashes) {
            for (let at = 0; at < hashes.length; at += 32)
              yield byHash.get(toHex(hashes.subarray(at, at + 32))) as Uint8Array
          },
        },
      })
      const newcomer = await start({ staticNodes: [holder.network.enode] })
      await until(() => newcomer.transactions.length === 300)
    })
  })

  test('given nodes of other chains, then neither becomes a peer, and both say what differs', async () => {
    await withDevp2pNodes(async start => {
      const one = await start()
      const other = await start({
        staticNodes: [one.network.enode],
        status: statusAt(block(0), { networkId: 4n }),
      })
      await until(() => one.refused.length > 0 || other.refused.length > 0)
      for (const { refused } of [one, other].filter(({ refused }) => refused.length > 0))
        expect(refused[0]?.differing).toEqual(['networkId'])
      expect([...one.network.peers(), ...other.network.peers()]).toEqual([])
    })
  })

  test('given both dial at once, then one connection is left, and no peer is reported as disconnected', async () => {
    await withDevp2pNodes(async start => {
      const one = await start()
      const other = await start({ staticNodes: [one.network.enode] })
      await one.network.addPeer(other.network.enode)
      await connected(one, other)
      await new Promise(resolve => setTimeout(resolve, 700))
      for (const { network, disconnected } of [one, other]) {
        expect(network.peers()).toHaveLength(1)
        expect(disconnected).toEqual([])
      }
    })
  })

  test('given a node that stops, then the other receives the reason', async () => {
    await withDevp2pNodes(async start => {
      const one = await start()
      const other = await start({ staticNodes: [one.network.enode] })
      await connected(one, other)
      await one.stop()
      await until(() => other.disconnected.length === 1)
      expect(other.disconnected[0]?.reason).toBe('the peer closed it: it stops')
    })
  })

  test('given a node without room for peers, then an unknown node is refused and a static node is not', async () => {
    await withDevp2pNodes(async start => {
      const handlers = { roleOf: () => 'other' as const }
      const full = await start({ maxPeers: 0, handlers })
      const stranger = await start({ staticNodes: [full.network.enode], handlers })
      await until(() => stranger.lines.some(line => line.includes('too many peers')))
      const privateKey = randomBytes(32)
      const friend = await start({ privateKey, handlers })
      expect(friend.network.enode).toContain(
        formatEnode({ publicKey: publicKeyOf(privateKey), host: 'x', port: 1 }).slice(0, 130),
      )
      await full.network.addPeer(friend.network.enode)
      await connected(full, friend)
      expect(stranger.network.peers()).toEqual([])
    })
  })
})
