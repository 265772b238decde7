import { expect } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { clientsOf } from '../../runtime/transactions.ts'
import { type Cluster, createCluster } from '../support/cluster.ts'
import { foundedNow } from '../support/foundedNow.ts'
import { headersOf } from '../support/headers.ts'
import { hashesOf, until, untilHeads } from '../support/waiting.ts'
import { scenario } from '../../support/scenario.ts'

/** Several timeouts of a round: validators that did not all wait would ask for others. */
const IDLE_MS = 2_000
/** From this block on empty blocks are made, after so many seconds. */
const EMPTY_FROM = 12
const EMPTY_SECONDS = 2

scenario(
  'given four validators that make no empty blocks, and a fifth node',
  ({ beforeAll, afterAll, test }) => {
    const folder = mkdtempSync(join(tmpdir(), 'quorate-idle-'))
    let cluster: Cluster
    let nonce = 0

    const send = async (index: number, atNonce: number): Promise<`0x${string}`> => {
      const { wallet } = clientsOf(cluster.node(index).url, 4242)
      return await wallet.sendTransaction({
        to: '0x00000000000000000000000000000000000000ff',
        value: 1n,
        nonce: atNonce,
        gas: 21_000n,
        maxFeePerGas: 10n ** 11n,
        maxPriorityFeePerGas: 10n ** 9n,
      })
    }

    /** The number of the block that a transaction sent to this node came into. */
    const mined = async (index: number): Promise<number> => {
      const hash = await send(index, nonce++)
      const { reader } = clientsOf(cluster.node(index).url, 4242)
      const { blockNumber } = await reader.waitForTransactionReceipt({ hash })
      await untilHeads(cluster, Number(blockNumber))
      return Number(blockNumber)
    }

    const heads = (): Promise<readonly number[]> => Promise.all(cluster.running().map(cluster.head))

    /** Lines on rounds, by all nodes that run. */
    const roundLines = (): readonly string[] =>
      cluster.running().flatMap(
        index =>
          cluster
            .node(index)
            .output()
            .match(/(?:Moved to round|Round \d+ of block).*/g) ?? [],
      )

    beforeAll(async () => {
      cluster = await createCluster({
        folder,
        validators: 4,
        nodes: 5,
        qbft: { emptyblockperiodseconds: 3600 },
        config: { transitions: { qbft: [{ block: EMPTY_FROM, emptyblockperiodseconds: EMPTY_SECONDS }] } },
        top: foundedNow(),
        args: ['--logging-format=PLAIN', '--logging=DEBUG'],
      })
      await cluster.start(1, 2, 3, 4, 5)
    })

    afterAll(async () => {
      await cluster.end()
      rmSync(folder, { recursive: true, force: true })
    })

    test('when nobody sends anything, then there is no block, and nobody begins or asks for a round', async () => {
      await until('four peers', async () => Number(await cluster.node(5).rpc('net_peerCount')) === 4)
      await Bun.sleep(IDLE_MS)
      expect(await heads()).toEqual([0, 0, 0, 0, 0])
      expect(roundLines()).toEqual([])
    })

    test.each([[1], [2], [3], [4], [5]])(
      'when node %i is sent a transaction, then the next block has it',
      async index => {
        expect(await mined(index)).toBe(index)
      },
    )

    test('when one comes that has to wait for another of its sender, then there is no block until that one is there', async () => {
      await send(2, nonce + 1)
      await Bun.sleep(1_000)
      expect(await heads()).toEqual([5, 5, 5, 5, 5])
      const number = await mined(3)
      expect(number).toBe(6)
      nonce++
      expect((await headersOf(cluster.node(1), 6))[6]?.transactions).toHaveLength(2)
    })

    test('when a validator is gone, then the others still make the block of each transaction, its turns too', async () => {
      await cluster.kill(4)
      for (const number of [7, 8, 9, 10]) expect(await mined(5)).toBe(number)
    })

    test('when it comes back, then it waits with the others, and no block is made for that', async () => {
      await cluster.start(4)
      await untilHeads(cluster, 10, [4])
      const before = roundLines().length
      await Bun.sleep(IDLE_MS)
      expect(await heads()).toEqual([10, 10, 10, 10, 10])
      expect(roundLines()).toHaveLength(before)
      expect(await mined(4)).toBe(11)
    })

    test('when the empty-block period is over, then an empty block is made, not earlier', async () => {
      const last = EMPTY_FROM + 1
      await untilHeads(cluster, last)
      const headers = await headersOf(cluster.node(5), last)
      for (let number = 1; number <= last; number++) {
        expect([number, headers[number]?.transactions.length === 0]).toEqual([number, number >= EMPTY_FROM])
        expect(await hashesOf(cluster, number)).toHaveLength(1)
      }
      for (const number of [EMPTY_FROM, last]) {
        const spacing = (headers[number]?.timestamp ?? 0) - (headers[number - 1]?.timestamp ?? 0)
        expect([number, spacing >= EMPTY_SECONDS]).toEqual([number, true])
      }
    })
  },
)
