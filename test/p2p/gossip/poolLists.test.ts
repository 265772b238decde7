import { describe, expect, setDefaultTimeout, test } from 'bun:test'
import { concatBytes } from '../../../core/bytes/bytes.ts'
import { POOL_HASHES_MAX } from '../../../p2p/gossip/poolLists.ts'
import { patternOf, someTransaction, withNodes } from '../networks.ts'
import { until } from '../../support/until.ts'

setDefaultTimeout(120_000)

const read = async (items: AsyncIterable<Uint8Array>): Promise<readonly Uint8Array[]> => {
  const found: Uint8Array[] = []
  for await (const item of items) found.push(item)
  return found
}

const signal = (): AbortSignal => AbortSignal.timeout(30_000)

describe('given a peer with transactions in its pool', () => {
  test('when they are requested, then it lists their hashes and sends the requested ones', () =>
    withNodes(async start => {
      const hashes = new Uint8Array(32 * POOL_HASHES_MAX).fill(5)
      const wanted: Uint8Array[] = []
      const a = await start({
        poolHashes: async function* () {
          yield hashes
          yield hashes.subarray(0, 64)
        },
        poolTransactions: async function* (joined) {
          wanted.push(joined)
          yield patternOf(1)
          yield patternOf(2)
        },
      })
      const b = await start({ bootnodes: [a.network.enode] })
      await until(() => b.network.peers().length === 1)
      const [peer] = b.network.peers()
      if (peer === undefined) throw new Error('no peer')
      const listed = await read(b.network.requestPoolHashes(peer, signal()))
      expect(concatBytes(...listed)).toEqual(concatBytes(hashes, hashes.subarray(0, 64)))
      const asked = hashes.subarray(0, 96)
      const given = await read(b.network.requestPoolTransactions(peer, asked, signal()))
      expect(given).toEqual([patternOf(1), patternOf(2)])
      expect(wanted).toEqual([asked])
    }))

  test('when it sends more than requested, then the rest is not read', () =>
    withNodes(async start => {
      const a = await start({
        poolTransactions: async function* () {
          for (;;) yield patternOf(100)
        },
      })
      const b = await start({ bootnodes: [a.network.enode] })
      await until(() => b.network.peers().length === 1)
      const [peer] = b.network.peers()
      if (peer === undefined) throw new Error('no peer')
      const asked = read(b.network.requestPoolTransactions(peer, new Uint8Array(64), signal()))
      expect(await asked.catch((error: Error) => error.message)).toContain('more than the 2 requested items')
    }))

  test('when requests exceed the limit, then the requester is reported', () =>
    withNodes(async start => {
      const a = await start()
      const b = await start({ bootnodes: [a.network.enode] })
      await until(() => b.network.peers().length === 1)
      const [peer] = b.network.peers()
      if (peer === undefined) throw new Error('no peer')
      const isReported = (): boolean =>
        a.lines.some(({ values }) => values?.['detail'] === 'more requests than allowed')
      for (let asked = 0; asked < 2_000 && !isReported(); asked++)
        await read(b.network.requestPoolHashes(peer, signal())).catch(() => undefined)
      expect(isReported()).toBe(true)
    }))
})

test('given a node that has just accepted a transaction, when it stops, then its peers get the transaction', () =>
  withNodes(async start => {
    const a = await start()
    const b = await start({ bootnodes: [a.network.enode] })
    await until(() => a.network.peers().length === 1 && b.network.peers().length === 1)
    // Both have joined the gossip.
    await until(
      () => {
        a.network.announceTransactions([someTransaction(1)])
        return b.transactions.length > 0
      },
      { pollMs: 50 },
    )
    await Bun.sleep(200)
    const last = someTransaction(2)
    a.network.announceTransactions([last])
    await a.stop()
    await until(() => b.transactions.some(sent => Buffer.from(sent).equals(last)))
  }))
