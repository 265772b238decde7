import { describe, expect, test } from 'bun:test'
import { EnodeError } from '../../../../p2p/transport/enode.ts'
import { NetworkError } from '../../../../p2p/error.ts'
import { patternOf, someTransaction, statusOf } from '../../../p2p/networks.ts'
import { type ThreadNode, withPair, withThreads } from './threads.ts'
import { until } from '../../../support/until.ts'

const FIVE_MB = 5 * 1024 * 1024

const addressOf = (other: ThreadNode): Uint8Array => other.peer().address

const collect = async (blocks: AsyncIterable<Uint8Array>): Promise<Uint8Array[]> => {
  const all: Uint8Array[] = []
  for await (const block of blocks) all.push(block)
  return all
}

describe('given two networks, each on a thread of its own', () => {
  test('when they connect, then each knows the other’s status', () =>
    withPair(async (a, b) => {
      expect(a.peer().enode).toBe(b.network.enode)
      expect(a.peer().status).toMatchObject({ networkId: 1337n, configuration: { chainId: '1337' } })
      expect(a.of('peer')).toHaveLength(1)
      b.change.status = statusOf({ headNumber: 9n, headHash: new Uint8Array(32).fill(9) })
      b.network.sendStatus()
      await until(() => a.peer().status.headNumber === 9n)
      expect(a.peer().status.headHash).toEqual(new Uint8Array(32).fill(9))
      // What does not change did not cross again, and is there all the same.
      expect(a.peer().status.configuration).toEqual({ chainId: '1337' })
      expect(a.of('status').at(-1)).toEqual([a.peer().status])
    }))

  test('when consensus messages of any size are sent, then they arrive in order, with the number of receivers', () =>
    withPair(async (a, b) => {
      // `a` knows `b` by the address that `a`'s peer has.
      const toB = addressOf(a)
      const nobody = new Uint8Array(20)
      for (let i = 0; i < 100; i++)
        expect(a.network.sendConsensus([toB, nobody], 0x12, Uint8Array.of(i))).toBe(1)
      expect(a.network.sendConsensus([nobody], 0x12, Uint8Array.of(1))).toBe(0)
      const large = patternOf(FIVE_MB)
      a.network.sendConsensus([toB], 0x13, large)
      expect(a.network.sendConsensus([toB], 0x13, new Uint8Array(16 * 1024 * 1024))).toBe(0)
      // The sender's bytes stay the sender's.
      expect(large.length).toBe(FIVE_MB)
      await until(() => b.of('consensus').length === 101)
      expect(b.of('consensus').slice(0, 100)).toEqual(
        Array.from({ length: 100 }, (_, i) => [0x12, Uint8Array.of(i)]),
      )
      expect(b.of('consensus')[100]).toEqual([0x13, large])
    }))

  test('when transactions and blocks are sent, then they arrive', () =>
    withPair(async (a, b) => {
      const first = someTransaction(9)
      const all = (): unknown[] => b.of('transactions').flatMap(([list]) => list as unknown[])
      // Gossip opens its streams a moment after the nodes have connected; what is announced before reaches nobody.
      await until(
        () => {
          a.network.announceTransactions([first])
          return all().length > 0
        },
        { pollMs: 200 },
      )
      const sent = Array.from({ length: 50 }, (_, i) => someTransaction(10 + i))
      for (const one of sent) a.network.announceTransactions([one])
      const heard = (): unknown[] => all().filter(one => !Bun.deepEquals(one, first))
      await until(() => heard().length === sent.length)
      expect(heard()).toEqual(sent)
      const block = patternOf(100_000)
      a.network.announceBlock(5n, new Uint8Array(32).fill(5), block)
      await until(() => b.of('block').length === 1)
      expect(b.of('block')).toEqual([[block]])
    }))

  test('when ranges are served, then no faster than they are read, and they end without a reader', async () => {
    let given = 0
    let ended = 0
    const blocks = async function* (from: bigint, count: number) {
      try {
        for (let i = 0; i < count; i++) {
          given++
          // Views of one buffer, as a store gives them.
          yield patternOf(4_000 + Number(from) + i).subarray(1_000)
        }
      } finally {
        ended++
      }
    }
    await withPair(
      async (_a, b) => {
        const all = await collect(b.network.requestBlocks(b.peer(), 7n, 1_000, AbortSignal.timeout(30_000)))
        expect(all.map(({ length }) => length)).toEqual(Array.from({ length: 1_000 }, (_, i) => 3_007 + i))
        expect(all[999]).toEqual(patternOf(5_006).subarray(1_000))
        expect([given, ended]).toEqual([1_000, 1])

        for await (const _ of b.network.requestBlocks(b.peer(), 0n, 1_024, AbortSignal.timeout(30_000))) break
        await until(() => ended === 2)

        const controller = new AbortController()
        const reading = collect(b.network.requestBlocks(b.peer(), 0n, 1_024, controller.signal))
        controller.abort()
        expect(await reading.catch((error: unknown) => error)).toBeInstanceOf(NetworkError)
      },
      { handlers: { blocks } },
    )
  })

  test('when something fails, then the error is the same', () =>
    withPair(async (a, b) => {
      const gone = { ...b.peer(), address: new Uint8Array(20) }
      const range = collect(b.network.requestBlocks(gone, 0n, 1, AbortSignal.timeout(30_000)))
      expect(await range.catch((error: unknown) => error)).toMatchObject({
        name: 'NetworkError',
        code: 'NOT_CONNECTED',
        message: `0x${'00'.repeat(20)} is not connected`,
      })
      const wrong = await a.network.addPeer('enode://12@1.2.3.4:30303').catch((error: unknown) => error)
      expect(wrong).toBeInstanceOf(EnodeError)
      expect(wrong).toMatchObject({
        code: 'INVALID_NODE_ID',
        detail: expect.stringContaining('128 hexadecimal'),
      })
      expect((wrong as Error).message).toContain("'enode://12@1.2.3.4:30303'")
    }))

  test('when peers are added and removed, then they connect and disconnect', () =>
    withThreads(async start => {
      const a = await start()
      const b = await start()
      expect([await a.network.addPeer(b.network.enode), await a.network.addPeer(b.network.enode)]).toEqual([
        true,
        false,
      ])
      await until(() => a.network.peers().length === 1 && b.network.peers().length === 1)
      expect([
        await a.network.removePeer(b.network.enode),
        await a.network.removePeer(b.network.enode),
      ]).toEqual([true, false])
      await until(() => a.network.peers().length === 0 && b.network.peers().length === 0)
      expect(b.of('gone')).toEqual([['the peer closed it: removed by the operator']])
    }))

  test('when a peer misbehaves, then it is disconnected, and told the rule that its block breaks', () =>
    withPair(async (a, b) => {
      a.network.reportMisbehaviour(addressOf(a), 'invalid-block', 'block 3 is none')
      await until(() => b.of('gone').length === 1 && a.network.peers().length === 0)
      expect(b.of('gone')).toEqual([['the peer closed it: banned: invalid-block: block 3 is none']])
    }))

  test('when a node is of another chain, then it is refused with the differing entries', () =>
    withThreads(async start => {
      const a = await start()
      const b = await start({
        bootnodes: [a.network.enode],
        handlers: {
          status: () => ({
            ...statusOf({ genesisHash: new Uint8Array(32).fill(8), configuration: { chainId: '8' } }),
            headTimestamp: 0n,
          }),
        },
      })
      await until(() => a.of('refused').length > 0 && b.of('refused').length > 0)
      expect(a.of('refused')[0]?.[2]).toContain('chainId')
      expect(a.network.peers()).toEqual([])
    }))

  test('when the level changes, then the log follows', () =>
    withPair(async (a, b) => {
      expect(a.lines).toContainEqual(['debug', 'Connected with {peer}', { peer: expect.any(String) }])
      a.change.debug = false
      a.change.validators = [new Uint8Array(20)]
      await new Promise(resolve => setTimeout(resolve, 1_200))
      const before = a.lines.length
      await b.network.stop()
      await until(() => a.of('gone').length === 1)
      expect(a.lines.slice(before).filter(([level]) => level === 'debug')).toEqual([])
    }))
})

describe('given a network on a thread that cannot start', () => {
  test('when the port is in use, then the error says so', () =>
    withThreads(async start => {
      const { network } = await start()
      expect(await start({ port: network.port }).catch((error: unknown) => error)).toMatchObject({
        name: 'NetworkError',
        code: 'PORT_IN_USE',
      })
    }))

  test('when a bootnode is invalid, then the error says what is wrong', () =>
    withThreads(async start => {
      expect(await start({ bootnodes: ['enode://1'] }).catch((error: unknown) => error)).toBeInstanceOf(
        EnodeError,
      )
    }))
})
