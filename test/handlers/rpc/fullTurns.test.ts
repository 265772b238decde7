import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Chain } from '../../../core/chain/chain.ts'
import type { BlockRecord } from '../../../core/store/store.ts'
import { EVERYONE } from '../../../handlers/auth/caller.ts'
import type { RpcContext } from '../../../handlers/rpc/context.ts'
import { createDispatcher } from '../../../handlers/rpc/dispatch/dispatcher.ts'
import { INSTALLED_VALUES_MAX } from '../../../handlers/rpc/filters/installed.ts'
import { FILTER_VALUES_MAX } from '../../../handlers/rpc/logs/filter.ts'
import { METHODS } from '../../../handlers/rpc/methods/methodTable.ts'
import { createScheduler } from '../../../core/scheduler.ts'
import { onNextTurn, REQUEST_SLICE_MS } from '../../../handlers/inbound/requestScheduler.ts'
import { blockShape } from '../../../handlers/rpc/shapes/block.ts'
import { createHeadFeed } from '../../../handlers/rpc/subscriptions/headFeed.ts'
import { createLanes } from '../../../handlers/rpc/subscriptions/lanes.ts'
import { startTestNode, type TestNode } from '../support/testNode.ts'
import { RECIPIENT, transfer } from '../support/transfers.ts'

describe('given a block and a pool of many transactions', () => {
  const COUNT = 200
  const POOLED = 150
  const QUEUED = COUNT + POOLED + 5
  let node: TestNode

  beforeAll(async () => {
    node = await startTestNode()
    for (let nonce = 0; nonce < COUNT; nonce++)
      await node.call('eth_sendRawTransaction', await transfer(nonce))
    await node.mine()
    for (let nonce = COUNT; nonce < COUNT + POOLED; nonce++)
      await node.call('eth_sendRawTransaction', await transfer(nonce))
    await node.call('eth_sendRawTransaction', await transfer(QUEUED))
  })
  afterAll(() => node.close())

  /** The result, and the turns of the event loop meanwhile, on a clock that each read moves by a whole slice. */
  const inTurns = async <T>(run: (context: RpcContext) => T | Promise<T>) => {
    let now = 0
    let turns = 0
    let next = setImmediate(function count() {
      turns++
      next = setImmediate(count)
    })
    const nowMs = (): number => (now += REQUEST_SLICE_MS)
    const scheduler = createScheduler({ onNextTurn, nowMs, sliceMs: REQUEST_SLICE_MS })
    const result = await run({ ...node.context, scheduler })
    clearImmediate(next)
    return { result, turns }
  }
  const ask = async (name: string, ...params: readonly unknown[]) => {
    const row = METHODS.find(method => method.name === name)
    if (row === undefined) throw new Error(name)
    const { result, turns } = await inTurns(context => row.handle({ params, expired: () => false }, context))
    return { answer: JSON.parse(JSON.stringify(result)) as never, turns }
  }

  test('when the block is asked for with its transactions, then it is the same, in turns', async () => {
    const { answer, turns } = await ask('eth_getBlockByNumber', '0x1', true)
    const block = answer as {
      readonly transactions: readonly { readonly hash: string; readonly to: string }[]
    }
    expect(turns).toBeGreaterThan(2)
    const record = (await node.chain.store.record(1n)) as BlockRecord
    const whole = blockShape(record, { fullTransactions: true, totalDifficulty: true })
    expect(JSON.stringify(block)).toBe(JSON.stringify(whole))
    expect(block.transactions).toHaveLength(COUNT)
    expect(block.transactions[7]).toMatchObject({ to: RECIPIENT, nonce: '0x7', transactionIndex: '0x7' })
    const { answer: short } = await ask('eth_getBlockByNumber', '0x1', false)
    expect(short).toEqual({ ...block, transactions: block.transactions.map(({ hash }) => hash) } as never)
  })

  test.each([
    ['eth_getBlockReceipts', COUNT],
    ['debug_getRawReceipts', COUNT],
  ] as const)('when %s is asked for then they come in turns', async (name, count) => {
    const { answer, turns } = await ask(name, '0x1')
    expect(turns).toBeGreaterThan(2)
    expect(answer).toHaveLength(count)
  })

  test('when the block is sent to a subscriber with its transactions, then it is the same, built in several turns', async () => {
    const { store } = node.chain
    let told: (() => void) | undefined
    const chain = {
      ...node.chain,
      onHead: (listener: Parameters<Chain['onHead']>[0]) => {
        told = () => listener(node.chain.head())
        return () => undefined
      },
    }
    let headNumber = 0n
    const head = () => ({ ...node.chain.head(), header: { ...node.chain.head().header, number: headNumber } })
    const feed = createHeadFeed({ ...node.context, chain: { ...chain, head } })
    const text = new Promise<string>(resolve => {
      const lane = createLanes(node.context.scheduler).open(() => undefined)
      feed.listen(true, { lane, notify: resolve })
    })
    headNumber = 1n
    told?.()
    const record = (await store.record(1n)) as BlockRecord
    const whole = blockShape(record, { fullTransactions: true, totalDifficulty: true })
    expect(await text).toBe(JSON.stringify(whole))
  })

  test('when many fee histories or new filters are asked for, then they come in turns', async () => {
    const BLOCKS = 40
    for (let count = 0; count < BLOCKS; count++) await node.mineEmpty()
    const percentiles = Array.from({ length: 100 }, (_, percentile) => percentile)
    const { answer, turns } = await ask('eth_feeHistory', BLOCKS, 'latest', percentiles)
    expect((answer as { readonly reward: readonly unknown[] }).reward).toHaveLength(BLOCKS)
    expect(turns).toBeGreaterThan(BLOCKS / 2)

    const filters = Array.from({ length: BLOCKS }, (_, id) => ({ id, method: 'eth_newFilter', params: [{}] }))
    const batch = await inTurns(context =>
      createDispatcher(METHODS, context).handle(JSON.stringify(filters), EVERYONE),
    )
    expect(batch.result.status).toBe(200)
    expect(batch.turns).toBeGreaterThan(BLOCKS / 2)
  })

  test('when the pool is asked for, then it comes in turns', async () => {
    const sender = (await node.call('eth_getTransactionByBlockNumberAndIndex', '0x1', '0x0')) as {
      readonly from: string
    }
    for (const name of ['txpool_content', 'txpool_inspect']) {
      const { answer, turns } = await ask(name)
      const { pending, queued } = answer as Readonly<Record<string, Readonly<Record<string, object>>>>
      expect(turns).toBeGreaterThan(0)
      expect(Object.keys(pending?.[sender.from] ?? {})).toHaveLength(POOLED)
      expect(Object.keys(queued?.[sender.from] ?? {})).toEqual([String(QUEUED)])
    }
    for (const name of ['txpool_besuTransactions', 'txpool_besuPendingTransactions']) {
      const { answer, turns } = await ask(name)
      expect(turns).toBeGreaterThan(0)
      expect(answer).toHaveLength(POOLED + 1)
    }
  })
})

test('given filters that look for very many values, when more are installed, then they are refused and the others stay', async () => {
  const node = await startTestNode()
  try {
    const topics = Array.from(
      { length: FILTER_VALUES_MAX },
      (_, i) => `0x${i.toString(16).padStart(64, '0')}`,
    )
    const ids: unknown[] = []
    for (let count = FILTER_VALUES_MAX; count <= INSTALLED_VALUES_MAX; count += FILTER_VALUES_MAX)
      ids.push(await node.call('eth_newFilter', { topics: [topics] }))
    const refused = await node.rpc('eth_newFilter', { topics: [topics] })
    expect(refused.error?.message).toStartWith('Too many addresses and topics in the filters of this node')
    expect((await node.rpc('eth_getFilterChanges', ids[0])).result).toEqual([])
  } finally {
    await node.close()
  }
})
