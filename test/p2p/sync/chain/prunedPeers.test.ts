import { describe, expect, setDefaultTimeout, test } from 'bun:test'
import { openChainStore } from '../../../../core/store/chainStore.ts'
import { until } from '../../../support/until.ts'
import { importNow, openTestChain, type TestChain } from '../../../core/chain/support/chain.ts'
import { memoryStore } from '../../../core/chain/support/memory.ts'
import { VALIDATORS } from '../../../core/chain/support/keys.ts'
import { grow, logLines, reaches } from '../support/node.ts'
import { wireEachTest } from '../support/wireEachTest.ts'

setDefaultTimeout(120_000)

const [A, B, C] = VALIDATORS

const { wire, node } = wireEachTest()

const BLOCKS = 60

/** The same chain, of which the last 20 blocks or some more are kept. */
const prunedCopy = async (chain: TestChain): Promise<TestChain> => {
  const kv = memoryStore()
  const store = await openChainStore(kv, { flushBlocks: 2, history: { blocks: 20, stepBlocks: 2 } })
  const copy = await openTestChain({}, kv, { store })
  for (let number = 1n; number <= chain.head().header.number; number++) {
    const record = await chain.store.record(number)
    if (record !== undefined) await importNow(copy, record.block)
  }
  await store.flush()
  expect(store.historyStart?.()).toBeGreaterThan(30n)
  return copy
}

const fullChain = async (): Promise<TestChain> => {
  const chain = await openTestChain()
  await grow(chain, BLOCKS)
  return chain
}

describe('given a peer that has removed old blocks', () => {
  test.each(['blocks', 'records'])(
    'when a new node fetches %s beside one that keeps all, then the other one delivers, and nobody is reported',
    async what => {
      const chain = await fullChain()
      const pruned = await node(A, { chain: await prunedCopy(chain) })
      const archive = await node(B, { chain })
      const own = await openTestChain()
      const fresh = await node(C, {
        chain: own,
        ...(what === 'records' ? { importRecord: own.importRecord } : {}),
      })
      wire.connect(pruned.network, fresh.network)
      wire.connect(archive.network, fresh.network)
      await reaches(fresh.chain, BigInt(BLOCKS))
      expect(fresh.network.reports).toEqual([])
      const start = pruned.chain.store.historyStart?.() ?? 0n
      expect(
        [...pruned.network.asked, ...pruned.network.askedRecords].every(({ from }) => from >= start),
      ).toBe(true)
    },
  )

  test('when it is the only peer, then the log says which blocks there are, and the sync begins once another one keeps all', async () => {
    const chain = await fullChain()
    const pruned = await node(A, { chain: await prunedCopy(chain) })
    const fresh = await node(C)
    wire.connect(pruned.network, fresh.network)
    const start = pruned.chain.store.historyStart?.()
    await until(() =>
      logLines.some(line =>
        line.includes(`No connected peer keeps block 1: the peers keep their blocks from ${start} on`),
      ),
    )
    expect(pruned.network.asked).toEqual([])
    expect(fresh.sync.lag()).toEqual({ startingBlock: 0n, currentBlock: 0n, highestBlock: BigInt(BLOCKS) })
    const archive = await node(B, { chain })
    wire.connect(archive.network, fresh.network)
    await reaches(fresh.chain, BigInt(BLOCKS))
    expect(fresh.network.reports).toEqual([])
    await until(() => fresh.sync.lag() === undefined)
  })

  test('when it is asked for blocks that it has removed meanwhile, then it sends none, and is not reported', async () => {
    const chain = await fullChain()
    const copy = await prunedCopy(chain)
    const archive = await node(B, { chain })
    const { status } = archive.sync.handlers
    // Its status is from before the removal.
    const pruned = await node(A, {
      chain: copy,
      handlers: { status: () => ({ ...status(), historyStart: 2n }) },
    })
    const own = await openTestChain()
    const first = await chain.store.record(1n)
    if (first !== undefined) await importNow(own, first.block)
    const fresh = await node(C, { chain: own })
    wire.connect(pruned.network, fresh.network)
    await until(() => pruned.network.asked.length > 0)
    wire.connect(archive.network, fresh.network)
    await reaches(fresh.chain, BigInt(BLOCKS))
    expect(fresh.network.reports).toEqual([])
  })

  test('when a node that is not far behind connects with it alone, then it delivers', async () => {
    const chain = await fullChain()
    const pruned = await node(A, { chain: await prunedCopy(chain) })
    const own = await openTestChain()
    for (let number = 1n; number <= 45n; number++) {
      const record = await chain.store.record(number)
      if (record !== undefined) await importNow(own, record.block)
    }
    const behind = await node(C, { chain: own })
    wire.connect(pruned.network, behind.network)
    await reaches(behind.chain, BigInt(BLOCKS))
    expect(behind.network.reports).toEqual([])
  })
})
