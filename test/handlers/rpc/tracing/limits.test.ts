import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import type { Hex } from 'viem'
import { createScheduler } from '../../../../core/scheduler.ts'
import { onNextTurn, REQUEST_SLICE_MS } from '../../../../handlers/inbound/requestScheduler.ts'
import type { Chain } from '../../../../core/chain/chain.ts'
import { openChain } from '../../../../core/chain/opening/openChain.ts'
import { developmentGenesis } from '../../../../core/genesis/development/development.ts'
import { parseGenesis } from '../../../../core/genesis/parse/parse.ts'
import { openChainStore } from '../../../../core/store/chainStore.ts'
import { RpcError } from '../../../../handlers/rpc/errors.ts'
import { METHODS } from '../../../../handlers/rpc/methods/methodTable.ts'
import { createBudget, objectsBudget } from '../../../../handlers/rpc/tracing/budget.ts'
import { tracerOf } from '../../../../handlers/rpc/tracing/options.ts'
import { readTraceTypes, tracesOf } from '../../../../handlers/rpc/tracing/parity/traceTypes.ts'
import { memoryStore } from '../../../core/chain/support/memory.ts'
import { address, code } from '../../../core/evm/harness.ts'
import { ACCOUNTS, startTestNode, type TestNode, VALIDATOR } from '../../support/testNode.ts'
import { budgetFor, traceCode } from './traceCode.ts'
import { SENDER, startTracingChain, type TracingChain } from './tracingChain.ts'

setDefaultTimeout(120_000)

const codeOf = (error: unknown): unknown => (error instanceof RpcError ? error.code : error)
const thrownBy = (run: () => unknown): unknown => {
  try {
    return run()
  } catch (error) {
    return codeOf(error)
  }
}

/** Counts down from 2,000, calling, logging and storing all the while. */
const BUSY = code(
  2000,
  'JUMPDEST',
  [0, 0, 0, 0, 0, 0x22, 1000, 'CALL POP'],
  [7, 0, 0, 'LOG1'],
  ['DUP1 DUP1 SSTORE'],
  [1, 'SWAP1 SUB DUP1', 3, 'JUMPI'],
)
const OPTIONS = {
  message: { gasLimit: 100_000_000n },
  others: [[address(0x22), { code: code(1, 'POP') }]],
} as const

const KINDS = {
  steps: tracerOf({ enableMemory: true }),
  'steps without storage': tracerOf({ disableStorage: true }),
  calls: tracerOf({ tracer: 'callTracer', tracerConfig: { withLog: true } }),
  'flat calls': tracerOf({ tracer: 'flatCallTracer' }),
  prestate: tracerOf({ tracer: 'prestateTracer' }),
  trace: tracesOf(readTraceTypes(['trace'])),
  stateDiff: tracesOf(readTraceTypes(['stateDiff'])),
  vmTrace: tracesOf(readTraceTypes(['vmTrace'])),
} as const

describe('given the size limit of a trace', () => {
  test.each([
    'steps without storage',
    'calls',
    'flat calls',
    'prestate',
    'trace',
    'stateDiff',
    'vmTrace',
  ] as const)('when %s is traced, then its size is estimated within a half and the double', kind => {
    const budget = budgetFor()
    const { bytes, result } = traceCode(KINDS[kind], BUSY, { ...OPTIONS, budget })
    expect(result.success).toBe(true)
    expect(budget.used()).toBeGreaterThan(bytes / 2)
    expect(budget.used()).toBeLessThan(bytes * 2)
  })

  test.each(Object.keys(KINDS) as (keyof typeof KINDS)[])('when %s exceeds it, then the trace ends', kind => {
    const budget = budgetFor(50_000)
    expect(thrownBy(() => traceCode(KINDS[kind], BUSY, { ...OPTIONS, budget }))).toBe('TRACE_TOO_LARGE')
  })

  test('when steps repeat the storage of a contract, then the size stays limited', () => {
    const budget = budgetFor(2_000_000)
    expect(thrownBy(() => traceCode(KINDS.steps, BUSY, { ...OPTIONS, budget }))).toBe('TRACE_TOO_LARGE')
    expect(budget.used()).toBeLessThan(4_000_000)
  })

  test('when a transaction is traced as objects, then it has its own limit, and the next begins anew', () => {
    const whole = budgetFor(40 * 1024 * 1024)
    const megabyte = 1024 * 1024
    const first = objectsBudget(whole)
    for (let i = 0; i < 16; i++) first.add(megabyte)
    expect(() => first.add(1)).toThrow('one transaction more than 16 MB')
    const second = objectsBudget(whole)
    for (let i = 0; i < 16; i++) second.add(megabyte)
    const third = objectsBudget(whole)
    for (let i = 0; i < 7; i++) third.add(megabyte)
    expect(() => third.add(megabyte)).toThrow('more than 40 MB')
  })

  test('when the limit is met, then the error says how to request less', () => {
    const budget = createBudget(
      () => 0,
      1,
      () => false,
      3 * 1024 * 1024,
    )
    expect(() => budget.add(4 * 1024 * 1024)).toThrow(
      'Trace exceeds the size limit (more than 3 MB: reduce the trace, for example with disableStack, limit or callTracer)',
    )
  })
})

describe('given the time limit of a trace', () => {
  test('when the time is over, then it ends, even in the middle of a transaction', () => {
    let now = 0
    const budget = createBudget(
      () => now++,
      3,
      () => false,
    )
    expect(thrownBy(() => traceCode(KINDS.steps, BUSY, { ...OPTIONS, budget }))).toBe('TIMEOUT')
  })

  test('when the client disconnects, then it ends', () => {
    const budget = createBudget(
      () => 0,
      1000,
      () => true,
    )
    expect(thrownBy(() => traceCode(KINDS.vmTrace, BUSY, { ...OPTIONS, budget }))).toBe('TIMEOUT')
    expect(thrownBy(() => budget.checkTime())).toBe('TIMEOUT')
  })
})

/** The answer as a client reads it. */
const asked = async (
  node: Pick<TestNode, 'context'>,
  name: string,
  params: readonly unknown[],
  more: { readonly chain?: Chain; readonly nowMs?: () => number; readonly expired?: () => boolean } = {},
): Promise<unknown> => {
  const { chain = node.context.chain, nowMs = () => 0, expired = () => false } = more
  const scheduler = createScheduler({ onNextTurn, nowMs, sliceMs: REQUEST_SLICE_MS })
  const row = METHODS.find(method => method.name === name) as (typeof METHODS)[number]
  const answer = await row.handle({ params, expired }, { ...node.context, chain, nowMs, scheduler })
  return JSON.parse(JSON.stringify(answer)) as unknown
}

describe('given a block of many transactions', () => {
  const COUNT = 120
  let node: TestNode

  beforeAll(async () => {
    node = await startTestNode()
    for (let nonce = 0; nonce < COUNT; nonce++)
      await node.call(
        'eth_sendRawTransaction',
        await SENDER.signTransaction({
          chainId: 1337,
          type: 'eip1559',
          nonce,
          gas: 21_000n,
          maxFeePerGas: 2_000_000_000n,
          maxPriorityFeePerGas: 1n,
          to: (ACCOUNTS[1] as (typeof ACCOUNTS)[number]).address,
          value: 1n,
        }),
      )
    await node.mine()
  })

  afterAll(async () => {
    await node?.close()
  })

  test.each([
    ['debug_traceBlockByNumber', ['0x1', { tracer: 'callTracer' }]],
    ['trace_block', ['0x1']],
    ['trace_replayBlockTransactions', ['0x1', ['trace']]],
  ] as const)('when %s runs, then other work runs between them', async (method, params) => {
    let turns = 0
    let next = setImmediate(function turn() {
      turns++
      next = setImmediate(turn)
    })
    try {
      let now = 0
      // A clock by which every transaction takes 6 ms.
      const answer = await asked(node, method, params, { nowMs: () => (now += 3) })
      expect(answer as unknown[]).toHaveLength(method === 'trace_block' ? COUNT + 1 : COUNT)
    } finally {
      clearImmediate(next)
    }
    expect(turns).toBeGreaterThan(COUNT / 4)
  })

  test('when the client disconnects, then it ends between two of them', async () => {
    let asks = 0
    const expired = () => ++asks > 10
    const refused = asked(node, 'debug_traceBlockByNumber', ['0x1', { tracer: '4byteTracer' }], { expired })
    expect(codeOf(await refused.catch((error: unknown) => error))).toBe('TIMEOUT')
    expect(asks).toBe(11)
  })

  test('when one is traced, then it runs on the state after those before it, and later ones do not run', async () => {
    const { transactions } = (await node.call('eth_getBlockByNumber', '0x1', false)) as {
      transactions: Hex[]
    }
    const options = { tracer: 'prestateTracer' }
    const pre = (await asked(node, 'debug_traceTransaction', [transactions[70], options])) as Record<
      string,
      { nonce: number }
    >
    expect(pre[SENDER.address.toLowerCase()]?.nonce).toBe(70)
    let asks = 0
    const expired = () => ++asks > 1000
    await asked(node, 'debug_traceTransaction', [transactions[3], options], { expired })
    expect(asks).toBe(4)
  })
})

describe('given a store that loads entries on demand', () => {
  let traced: TracingChain
  let slow: Chain

  beforeAll(async () => {
    traced = await startTracingChain()
    const { chain } = traced.node
    const store = await openChainStore(memoryStore({ asynchronous: true }))
    slow = await openChain({
      genesis: parseGenesis(developmentGenesis({ validator: VALIDATOR })),
      store,
      onError: error => {
        throw error
      },
    })
    const head = chain.head().header.number
    for (let number = 1n; number <= head; number++) {
      const record = await chain.store.record(number)
      if (record !== undefined) await slow.importBlock(record.block, { nowMs: 2_000_000_000_000 })
    }
    await store.flush()
  })

  afterAll(async () => {
    await traced?.node.close()
  })

  test.each([
    ['debug_traceBlockByNumber', ['0x2']],
    ['debug_traceBlockByNumber', ['0xd', { tracer: 'callTracer', tracerConfig: { withLog: true } }]],
    ['debug_traceBlockByNumber', ['0x7', { tracer: 'prestateTracer', tracerConfig: { diffMode: true } }]],
    ['trace_replayBlockTransactions', ['0xd', ['trace', 'stateDiff', 'vmTrace']]],
    ['trace_filter', [{ fromBlock: '0x1', toBlock: '0x10' }]],
  ] as const)('when %s %j runs, then the answer is the same', async (method, params) => {
    expect(await asked(traced.node, method, params, { chain: slow })).toEqual(
      await asked(traced.node, method, params),
    )
  })
})
