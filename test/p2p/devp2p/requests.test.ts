import { randomBytes } from 'node:crypto'
import { describe, expect, test } from 'bun:test'
import { toHex } from '../../../core/bytes/hex.ts'
import { keccak256 } from '../../../core/crypto/crypto.ts'
import { decodeRlp } from '../../../core/rlp/rlp.ts'
import { decodeTransactions, decodeTransactionAnnouncements } from '../../../p2p/devp2p/eth/transactions.ts'
import { openWithId } from '../../../p2p/devp2p/eth/requests.ts'
import { ETH } from '../../../p2p/devp2p/ethCodes.ts'
import { someTransaction, until } from '../networks.ts'
import { type Devp2pStartOptions, withDevp2pNodes } from './nodes.ts'
import { connectScripted } from './scriptedPeer.ts'

const OTHERS: Devp2pStartOptions['handlers'] = { roleOf: () => 'other' }

const hashes = (count: number): Uint8Array[] => Array.from({ length: count }, () => randomBytes(32))

describe('given a peer that asks for more than one answer holds', () => {
  test('when these are transactions of the pool, then it gets as many as have space, and keeps its points', async () => {
    await withDevp2pNodes(async start => {
      const pooled = someTransaction(4_000)
      const node = await start({
        handlers: {
          ...OTHERS,
          async *poolTransactions(joined) {
            for (let at = 0; at < joined.length; at += 32) yield pooled
          },
        },
      })
      const peer = await connectScripted(node.network.enode)
      peer.sendStatus()
      peer.sendEth(ETH.getPooledTransactions, [1, hashes(2_000)])
      const answer = decodeTransactions(openWithId(await peer.next(ETH.pooledTransactions)).content)
      // 2 MiB, and what exceeds it first.
      expect(answer.length).toBe(Math.ceil((2 * 1024 * 1024) / pooled.length))
      expect(node.lines.some(line => line.includes('points'))).toBe(false)
      expect(peer.isClosed()).toBe(false)
      peer.close()
    })
  })

  test.each([
    ['bodies', ETH.getBlockBodies, ETH.blockBodies],
    ['receipts', ETH.getReceipts, ETH.receipts],
  ])('when these are %s, then it is answered, and keeps its points', async (_, request, answer) => {
    await withDevp2pNodes(async start => {
      const node = await start({ handlers: OTHERS })
      const peer = await connectScripted(node.network.enode)
      peer.sendStatus()
      peer.sendEth(request, [1, hashes(4_000)])
      expect(openWithId(await peer.next(answer)).id).toBe(1n)
      expect(node.lines.some(line => line.includes('points'))).toBe(false)
      peer.close()
    })
  })
})

describe('given a peer that speaks only a later version of eth', () => {
  test('when it connects, then it is refused with a reason, and keeps its points', async () => {
    await withDevp2pNodes(async start => {
      const node = await start({ handlers: OTHERS })
      const peer = await connectScripted(node.network.enode, {
        capabilities: [
          ['eth', 70],
          ['eth', 71],
          ['snap', 2],
        ],
      })
      await until(() => peer.isClosed())
      expect(peer.reason()).toBe(0x03)
      expect(node.lines.some(line => line.includes('points'))).toBe(false)
    })
  })
})

describe('given a peer that sends transactions', () => {
  test('when the pool refuses one of them, then only the others are sent on', async () => {
    await withDevp2pNodes(async start => {
      const node = await start({
        handlers: { ...OTHERS, onTransactions: () => ({ isForwarded: true, held: [1] }) },
      })
      const [sender, other] = [
        await connectScripted(node.network.enode),
        await connectScripted(node.network.enode),
      ]
      for (const peer of [sender, other]) peer.sendStatus()
      await until(() => node.network.peers().length === 2)
      const [refused, taken] = [someTransaction(100), someTransaction(100)]
      sender.sendEth(ETH.transactions, [decodeRlp(refused), decodeRlp(taken)])
      const told = await Promise.race([
        other.next(ETH.transactions).then(decodeTransactions),
        other
          .next(ETH.newPooledTransactionHashes)
          .then(payload => decodeTransactionAnnouncements(68, payload).map(({ hash }) => hash)),
      ])
      const expected = [taken, keccak256(taken)].map(bytes => toHex(bytes))
      expect(told).toHaveLength(1)
      expect(expected).toContain(toHex(told[0] as Uint8Array))
      for (const peer of [sender, other]) peer.close()
    })
  })
})
