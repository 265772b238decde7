import { describe, expect, setDefaultTimeout, test } from 'bun:test'
import { addressOfPrivateKey } from '../../core/crypto/crypto.ts'
import { peersOf, statusOf, withNodes } from './networks.ts'
import { until } from '../support/until.ts'

setDefaultTimeout(120_000)

describe('given two nodes of one chain', () => {
  test('when one dials the other, then both know status, address and enode of each other', () =>
    withNodes(async start => {
      const a = await start({ status: statusOf({ headNumber: 5n }) })
      const b = await start({ bootnodes: [a.network.enode] })
      await until(() => a.connections === 1 && b.connections === 1)
      expect(peersOf(a)).toEqual([b.network.enode])
      expect(peersOf(b)).toEqual([a.network.enode])
      const [seenByB] = b.network.peers()
      expect(seenByB?.address).toEqual(addressOfPrivateKey(a.privateKey))
      expect(seenByB?.status).toEqual(statusOf({ headNumber: 5n }))
      expect([seenByB?.inbound, a.network.peers()[0]?.inbound]).toEqual([false, true])
    }))

  test('when they send consensus messages, then these arrive in order, both ways', () =>
    withNodes(async start => {
      const a = await start()
      const b = await start({ bootnodes: [a.network.enode] })
      await until(() => a.connections === 1 && b.connections === 1)
      for (let i = 0; i < 100; i++) {
        expect(a.network.sendConsensus([addressOfPrivateKey(b.privateKey)], 0x12, Uint8Array.of(i))).toBe(1)
        expect(b.network.sendConsensus([addressOfPrivateKey(a.privateKey)], 0x13, Uint8Array.of(i))).toBe(1)
      }
      await until(() => a.consensus.length === 100 && b.consensus.length === 100)
      expect(b.consensus.map(({ data }) => data[0])).toEqual(Array.from({ length: 100 }, (_, i) => i))
      expect(new Set(a.consensus.map(({ code }) => code))).toEqual(new Set([0x13]))
    }))

  test('when the status changes, then the peer gets the new head', () =>
    withNodes(async start => {
      const a = await start()
      const b = await start({ bootnodes: [a.network.enode] })
      await until(() => b.connections === 1)
      a.status = statusOf({ headNumber: 9n, headHash: new Uint8Array(32).fill(9) })
      a.network.sendStatus()
      await until(() => b.network.peers()[0]?.status.headNumber === 9n)
      expect(b.network.peers()[0]?.status.configuration).toEqual({ chainId: '1337' })
      expect(b.statuses.at(-1)?.headHash).toEqual(new Uint8Array(32).fill(9))
    }))
})

describe('given a node of another chain', () => {
  test('when it connects, then both refuse, and name the entries that differ', () =>
    withNodes(async start => {
      const a = await start({
        status: statusOf({ configuration: { 'config.qbft.epochlength': '30000', chainId: '1337' } }),
      })
      const b = await start({
        status: statusOf({
          genesisHash: new Uint8Array(32).fill(8),
          configuration: { 'config.qbft.epochlength': '100', chainId: '1337', alloc: '1' },
        }),
        bootnodes: [a.network.enode],
      })
      await until(() => a.refused.length > 0 && b.refused.length > 0)
      expect(a.refused[0]?.differing).toEqual(['alloc', 'config.qbft.epochlength'])
      expect(b.refused[0]?.differing).toEqual(['alloc', 'config.qbft.epochlength'])
      expect(a.refused[0]?.reason).toBe(`its genesis block is 0x${'08'.repeat(32)}, not 0x${'07'.repeat(32)}`)
      expect([a.connections, b.connections]).toEqual([0, 0])
    }))
})
