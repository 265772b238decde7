import { randomBytes } from 'node:crypto'
import { describe, expect, test } from 'bun:test'
import { toBareHex } from '../../../core/bytes/hex.ts'
import { publicKeyOf } from '../../../core/crypto/crypto.ts'
import { ETH } from '../../../p2p/devp2p/ethCodes.ts'
import { encodeTransactionAnnouncements } from '../../../p2p/devp2p/eth/transactions.ts'
import { formatEnode } from '../../../p2p/transport/enode.ts'
import { until } from '../networks.ts'
import { type Devp2pStartOptions, withDevp2pNodes } from './nodes.ts'
import { connectScripted, type ScriptedPeer } from './scriptedPeer.ts'

const OTHERS: Devp2pStartOptions['handlers'] = { roleOf: () => 'other' }

const ended = async (peer: ScriptedPeer): Promise<number | undefined> => {
  await until(() => peer.isClosed())
  return peer.reason()
}

describe('given a list of permitted nodes', () => {
  test('when a node is not on it, then it is not accepted, not dialed, and disconnected once it is removed', async () => {
    await withDevp2pNodes(async start => {
      const permitted = new Set<string>()
      const refuses: Devp2pStartOptions['refuses'] = publicKey =>
        permitted.has(toBareHex(publicKey)) ? undefined : 'not on the list'
      const guarded = await start({ refuses })
      const privateKey = randomBytes(32)
      const stranger = await connectScripted(guarded.network.enode, { privateKey })
      expect(await ended(stranger)).toBe(0x00)
      expect(guarded.lines.some(line => line.includes('not on the list'))).toBe(true)

      const listener = await start()
      await guarded.network.addPeer(listener.network.enode)
      permitted.add(toBareHex(publicKeyOf(privateKey)))
      const friend = await connectScripted(guarded.network.enode, { privateKey })
      friend.sendStatus()
      await until(() => guarded.network.peers().length === 1)
      expect(listener.network.peers()).toEqual([])

      permitted.clear()
      expect(await ended(friend)).toBe(0x00)
      await until(() => guarded.network.peers().length === 0)
    })
  })
})

describe('given a node that is banned', () => {
  test('when it connects again, then it is refused, until the operator adds it', async () => {
    await withDevp2pNodes(async start => {
      const node = await start({ handlers: OTHERS })
      const privateKey = randomBytes(32)
      const hostile = await connectScripted(node.network.enode, { privateKey })
      hostile.sendStatus()
      await until(() => node.network.peers().length === 1)
      hostile.sendEth(ETH.newBlockHashes, [new Uint8Array(100_000)])
      expect(await ended(hostile)).toBe(0x02)
      await until(() => node.disconnected.length === 1)

      const again = await connectScripted(node.network.enode, { privateKey })
      expect(await ended(again)).toBe(0x00)
      expect(node.network.peers()).toEqual([])

      const publicKey = publicKeyOf(privateKey)
      await node.network.addPeer(formatEnode({ publicKey, host: '127.0.0.1', port: 1 }))
      const forgiven = await connectScripted(node.network.enode, { privateKey })
      forgiven.sendStatus()
      await until(() => node.network.peers().length === 1)
      forgiven.close()
    })
  })

  test('when it breaks small rules again and again, then it is banned in the end', async () => {
    await withDevp2pNodes(async start => {
      const node = await start({ handlers: OTHERS })
      const privateKey = randomBytes(32)
      const reasons: (number | undefined)[] = []
      while (reasons.at(-1) !== 0x00) {
        const peer = await connectScripted(node.network.enode, { privateKey })
        peer.send(0x10, Uint8Array.of(0xc1, 1))
        reasons.push(await ended(peer))
        expect(reasons.length).toBeLessThan(40)
      }
      expect(reasons[0]).toBe(0x02)
    })
  })
})

describe('given a peer that sends too much', () => {
  test('when it announces more transactions than any pool has, then it is banned, and others are heard', async () => {
    let nowMs = Date.now()
    await withDevp2pNodes(async start => {
      // A stranger is read too slowly to exceed it.
      const node = await start({ nowMs: () => nowMs })
      const [loud, calm] = [
        await connectScripted(node.network.enode),
        await connectScripted(node.network.enode),
      ]
      for (const peer of [loud, calm]) peer.sendStatus()
      await until(() => node.network.peers().length === 2)
      const hash = randomBytes(32)
      const announcement = { hash, type: 0, size: 100 }
      const message = encodeTransactionAnnouncements(
        68,
        Array.from({ length: 4096 }, () => announcement),
      )
      for (let second = 0; !loud.isClosed() && second < 20; second++) {
        for (let sent = 0; sent < 20; sent++) loud.send(0x10 + ETH.newPooledTransactionHashes, message)
        loud.sendEth(ETH.getReceipts, [second, [hash]])
        await Promise.race([loud.next(ETH.receipts).catch(() => undefined), until(() => loud.isClosed())])
        nowMs += 1_000
      }
      expect(loud.reason()).toBe(0x02)
      calm.sendEth(ETH.newPooledTransactionHashes, [Uint8Array.of(0), [100], [randomBytes(32)]])
      await calm.next(ETH.getPooledTransactions)
      calm.close()
    })
  })

  test.each([
    ['announcements of blocks', ETH.newBlockHashes, 300],
    ['requests', ETH.getReceipts, 100],
  ])('when these are %s, then it is reported, and others are served', async (_, code, messages) => {
    await withDevp2pNodes(async start => {
      const node = await start({ handlers: OTHERS })
      const loud = await connectScripted(node.network.enode)
      loud.sendStatus()
      await until(() => node.network.peers().length === 1)
      for (let sent = 0; sent < messages; sent++)
        loud.sendEth(code, code === ETH.getReceipts ? [sent, [randomBytes(32)]] : [])
      await until(() => node.lines.some(line => line.includes('flooding')))
      const calm = await connectScripted(node.network.enode)
      calm.sendStatus()
      calm.sendEth(ETH.getReceipts, [7, [randomBytes(32)]])
      await calm.next(ETH.receipts)
      loud.close()
      calm.close()
    })
  })
})
