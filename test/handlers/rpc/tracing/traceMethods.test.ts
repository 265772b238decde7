import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import type { Hex } from 'viem'
import { toHex } from '../../../../core/bytes/hex.ts'
import { VALIDATOR } from '../../support/testNode.ts'
import {
  callsOf,
  CHAIN_ID,
  CHILD,
  encoded,
  HEIR,
  SENDER,
  startTracingChain,
  STRANGER,
  TRACING,
  type TracingChain,
} from './tracingChain.ts'

setDefaultTimeout(120_000)

const REWARD = 5_000_000_000n
const UNKNOWN = `0x${'12'.repeat(32)}`
const RANGE_MAX = 6n

type Trace = {
  readonly type: string
  readonly action: Readonly<Record<string, string>>
  readonly blockNumber: number
  readonly transactionHash: string | null
  readonly transactionPosition: number | null
  readonly traceAddress: readonly number[]
}

/** What trace_call and its kin answer. */
type Traces = {
  readonly output: string
  readonly trace: readonly Trace[]
  readonly stateDiff: Readonly<Record<string, { readonly balance: unknown; readonly storage: unknown }>>
}

let chain: TracingChain

beforeAll(async () => {
  chain = await startTracingChain({
    rpc: { traceFilterRangeMax: RANGE_MAX },
    genesis: genesis => {
      const { qbft } = genesis['config'] as { qbft: Record<string, unknown> }
      qbft['blockreward'] = String(REWARD)
    },
  })
})

afterAll(async () => {
  await chain?.node.close()
})

const { call, error } = callsOf(() => chain)
const traces = async (method: string, ...params: readonly unknown[]): Promise<readonly Trace[]> =>
  (await call(method, ...params)) as readonly Trace[]

describe('given trace_block', () => {
  test('when a block has transactions, then their traces come first, then the rewards', async () => {
    const number = chain.blockOf('createAndLeave')
    const found = await traces('trace_block', number)
    expect(found.map(({ type }) => type)).toEqual(['call', 'create', 'call', 'suicide', 'reward'])
    const { hash } = (await call('eth_getBlockByNumber', number, false)) as { hash: string }
    expect(found[3]).toMatchObject({
      action: { refundAddress: HEIR, balance: '0x3' },
      blockHash: hash,
      blockNumber: Number(number),
      result: null,
      subtraces: 0,
      traceAddress: [1, 0],
      transactionHash: chain.hashes['createAndLeave'],
      transactionPosition: 0,
    })
    expect(found[4]).toEqual({
      action: { author: toHex(VALIDATOR), rewardType: 'block', value: `0x${REWARD.toString(16)}` },
      blockHash: hash,
      blockNumber: Number(number),
      result: null,
      subtraces: 0,
      traceAddress: [],
      transactionHash: null,
      transactionPosition: null,
      type: 'reward',
    } as never)
  })

  test('when it is the genesis block, then it is empty; without a block it is null', async () => {
    expect(await call('trace_block', '0x0')).toEqual([])
    expect(await call('trace_block', '0x1000')).toBeNull()
    expect(await error('trace_block', 'first')).toEqual([-32602, 'Invalid block param (block not found)'])
  })
})

describe('given trace_transaction and trace_get', () => {
  test('when a transaction is named, then they give its traces of the block, and one of those', async () => {
    const hash = chain.hashes['createAndLeave']
    const inBlock = (await traces('trace_block', chain.blockOf('createAndLeave'))).slice(0, -1)
    expect(await traces('trace_transaction', hash)).toEqual(inBlock)
    expect(await call('trace_get', hash, ['0x1', '0x0'])).toEqual(inBlock[3])
    expect(await call('trace_get', hash, [])).toEqual(inBlock[0])
  })

  test('when it does not exist, then they give none, or null for one', async () => {
    expect(await call('trace_transaction', UNKNOWN)).toEqual([])
    expect(await call('trace_get', UNKNOWN, ['0x0'])).toBeNull()
    expect(await call('trace_get', chain.hashes['transfer'], ['0x7'])).toBeNull()
  })

  test('when parameters cannot be read, then they are refused', async () => {
    expect(await error('trace_transaction', '0x12')).toEqual([-32602, 'Invalid transaction hash params'])
    expect(await error('trace_get', UNKNOWN)).toEqual([-32602, 'Invalid number of params'])
    expect(await error('trace_get', UNKNOWN, ['x'])).toEqual([-32602, 'Invalid trace numbers params'])
    expect(await error('trace_get', UNKNOWN, '0x0')).toEqual([-32602, 'Invalid trace numbers params'])
  })
})

describe('given trace_filter', () => {
  const range = (from: string, to: string) => ({ fromBlock: chain.blockOf(from), toBlock: chain.blockOf(to) })
  const filter = (of: object): Promise<readonly Trace[]> => traces('trace_filter', of)

  test('when it has no conditions, then it gives the traces of each block in order', async () => {
    const { fromBlock, toBlock } = range('deploy', 'precompiles')
    const blocks = await Promise.all([1, 2, 3].map(number => traces('trace_block', `0x${number}`)))
    expect(await filter({ fromBlock, toBlock })).toEqual(blocks.flat())
  })

  test('when both lists are given, then both must match, with the mode union either', async () => {
    const within = range('send', 'createAndLeave')
    const to = await filter({ ...within, toAddress: [STRANGER] })
    expect(to.map(({ transactionHash }) => transactionHash)).toEqual([chain.hashes['send'] as string])
    const from = await filter({ ...within, fromAddress: [TRACING] })
    expect(from.map(({ type }) => type)).toEqual(['call', 'create', 'call'])
    expect(await filter({ ...within, fromAddress: [TRACING], toAddress: [STRANGER] })).toEqual(to)
    const either = await filter({ ...within, fromAddress: [TRACING], toAddress: [HEIR], mode: 'union' })
    expect(either.map(({ type }) => type)).toEqual(['call', 'create', 'call', 'suicide'])
  })

  test('when a creation or a reward matches, then it is found by contract or beneficiary', async () => {
    const made = await filter({ ...range('deploy', 'callAndLog'), toAddress: [CHILD] })
    expect(made.map(({ type }) => type)).toEqual(['create', 'call'])
    const rewards = await filter({ ...range('deploy', 'callAndLog'), toAddress: [toHex(VALIDATOR)] })
    expect(rewards.map(({ type }) => type)).toEqual(['reward', 'reward'])
  })

  test('when after and count are given, then it skips and limits', async () => {
    const within = range('deploy', 'precompiles')
    const all = await filter(within)
    expect(await filter({ ...within, after: 1, count: 3 })).toEqual(all.slice(1, 4))
    expect(await filter({ ...within, count: 0 })).toEqual([])
    expect(await filter({ ...within, after: 1000 })).toEqual([])
  })

  test('when it has no range, then it covers the head', async () => {
    expect((await filter({})).map(({ blockNumber }) => blockNumber)).toEqual([16, 16])
  })

  test('when ranges are too long, reversed, beyond the head or unreadable, then they are refused', async () => {
    const wide = { fromBlock: '0x1', toBlock: `0x${(2n + RANGE_MAX).toString(16)}` }
    expect(await error('trace_filter', wide)).toEqual([
      -32005,
      'Requested range exceeds maximum RPC range limit',
    ])
    expect(
      (await filter({ fromBlock: '0x1', toBlock: `0x${(1n + RANGE_MAX).toString(16)}` })).length,
    ).toBeGreaterThan(0)
    expect(await error('trace_filter', { fromBlock: '0x2', toBlock: '0x1' })).toEqual([
      -32602,
      'Invalid params (invalid block range params: fromBlock 2 is greater than toBlock 1)',
    ])
    const [code, text] = await error('trace_filter', { toBlock: '0x1000' })
    expect(code).toBe(-32602)
    expect(text).toStartWith(
      'Invalid params (block range extends beyond current head block: toBlock 4096 is greater than ',
    )
    for (const bad of [
      undefined,
      5,
      { fromAddress: '0x12' },
      { toAddress: ['0xzz'] },
      { after: -1 },
      { count: 'x' },
      { mode: 'both' },
    ])
      expect(await error('trace_filter', bad)).toEqual([-32602, 'Invalid filter params'])
    expect(await error('trace_filter', { fromBlock: 'x' })).toEqual([-32602, 'Invalid block number params'])
  })
})

describe('given trace_replayBlockTransactions', () => {
  test('when types are requested, then each transaction has them with its hash', async () => {
    const [replayed] = (await call('trace_replayBlockTransactions', chain.blockOf('callAndLog'), [
      'trace',
      'stateDiff',
    ])) as readonly Traces[]
    expect(replayed).toMatchObject({
      transactionHash: chain.hashes['callAndLog'],
      vmTrace: null,
      output: `0x${'1'.padStart(64, '0')}`,
    })
    expect(replayed?.trace).toHaveLength(2)
    expect('blockHash' in (replayed?.trace[0] ?? {})).toBe(false)
    expect(replayed?.stateDiff[CHILD]?.balance).toEqual({ '*': { from: '0x0', to: '0x7' } })
  })

  test('when it is the genesis block, then it is empty; none is null, and other types are refused', async () => {
    expect(await call('trace_replayBlockTransactions', '0x0', ['trace'])).toEqual([])
    expect(await call('trace_replayBlockTransactions', '0x1000', ['trace'])).toBeNull()
    for (const types of [undefined, 'trace', ['traces'], [5]])
      expect(await error('trace_replayBlockTransactions', '0x1', types)).toEqual([
        -32602,
        'Invalid trace type params',
      ])
  })
})

describe('given trace_replayTransaction', () => {
  test('when a transaction is named, then it gives that one', async () => {
    const types = ['trace', 'stateDiff', 'vmTrace']
    const [inBlock] = (await call(
      'trace_replayBlockTransactions',
      chain.blockOf('caught'),
      types,
    )) as readonly Traces[]
    expect(await call('trace_replayTransaction', chain.hashes['caught'], types)).toEqual(inBlock)
    expect(await call('trace_replayTransaction', UNKNOWN, types)).toBeNull()
    expect(await error('trace_replayTransaction', UNKNOWN)).toEqual([-32602, 'Invalid trace type params'])
  })
})

describe('given trace_call', () => {
  const message = (name: string, ...args: readonly unknown[]) => ({
    from: SENDER.address,
    to: TRACING,
    data: encoded(name, ...args),
  })

  test('when a block is named, then it traces the call there, by default at the head', async () => {
    const now = (await call('trace_call', message('callAndLog', 8n), ['trace', 'stateDiff'])) as Traces
    expect(now.trace).toHaveLength(2)
    expect(now.stateDiff[TRACING]?.storage).not.toEqual({})
    const before = (await call('trace_call', message('callAndLog', 8n), ['trace'], '0x0')) as Traces
    expect(before.trace).toHaveLength(1)
    expect(before.stateDiff).toBeNull()
  })

  test('when the sender pays, then it has the state’s balance, and needs the value', async () => {
    const send = (value: string) => ({ from: HEIR, to: STRANGER, value })
    const { stateDiff } = (await call('trace_call', send('0x1'), ['stateDiff'])) as Traces
    expect(stateDiff[HEIR]?.balance).toEqual({ '*': { from: '0x3', to: '0x2' } })
    expect(await error('trace_call', send('0x10'), ['stateDiff'])).toEqual([
      -32004,
      expect.stringContaining('Upfront cost'),
    ])
  })

  test('when the call cannot begin or the block does not exist, then it is refused', async () => {
    const priced = { from: HEIR, to: STRANGER, gas: '0x5208', gasPrice: '0xffffffffff' }
    expect(await error('trace_call', priced, ['trace'])).toEqual([
      -32004,
      expect.stringContaining('Upfront cost'),
    ])
    expect(await error('trace_call', { gas: '0x1' }, ['trace'])).toEqual([
      -32003,
      expect.stringContaining('Intrinsic gas'),
    ])
    expect(await error('trace_call', message('caught'), ['trace'], '0x1000')).toEqual([
      -32000,
      'Block not found',
    ])
    expect(await error('trace_call', 5, ['trace'])).toEqual([-32602, 'Invalid call params'])
    expect(await error('trace_call', message('caught'))).toEqual([-32602, 'Invalid trace type params'])
  })

  test('when a call reverts, then all three methods have the data as output; a mined one has a revertReason', async () => {
    const [mined] = (await call('trace_replayBlockTransactions', chain.blockOf('uncaught'), ['trace'])) as [
      Traces & { readonly revertReason?: string },
    ]
    expect(mined.output).toBe('0x')
    const data = mined.revertReason as string
    expect(data.length).toBeGreaterThan(10)
    const raw = await SENDER.signTransaction({
      chainId: CHAIN_ID,
      type: 'eip1559',
      gas: 300_000n,
      maxFeePerGas: 2_000_000_000n,
      maxPriorityFeePerGas: 1n,
      to: TRACING,
      data: encoded('uncaught'),
    })
    const [many] = (await call('trace_callMany', [[message('uncaught'), ['trace']]], 'latest')) as [Traces]
    for (const traced of [
      await call('trace_call', message('uncaught'), ['trace']),
      await call('trace_rawTransaction', raw, ['trace']),
      many,
    ]) {
      expect((traced as Traces).output).toBe(data)
      expect(traced).not.toHaveProperty('revertReason')
    }
  })

  test('when trace_callMany runs, then each call sees the changes of those before it', async () => {
    const calls = [9n, 10n].map(value => [message('callAndLog', value), ['trace']])
    const outputs = ((await call('trace_callMany', calls, 'latest')) as readonly Traces[]).map(({ output }) =>
      BigInt(output),
    )
    expect(outputs[1]).toBe(9n)
    expect(await error('trace_callMany', calls)).toEqual([-32602, 'Invalid number of params'])
    for (const bad of [5, [5], [[message('caught')]]])
      expect((await error('trace_callMany', bad, 'latest'))[0]).toBe(-32602)
    const many = Array.from({ length: 101 }, () => calls[0])
    expect(await error('trace_callMany', many, 'latest')).toEqual([
      -32602,
      'Invalid trace call many params (at most 100 calls)',
    ])
  })

  test('when trace_rawTransaction runs, then it traces the signed transaction', async () => {
    const raw: Hex = await SENDER.signTransaction({
      chainId: CHAIN_ID,
      type: 'eip1559',
      nonce: 1000,
      gas: 100_000n,
      maxFeePerGas: 2_000_000_000n,
      maxPriorityFeePerGas: 1n,
      to: STRANGER,
      value: 3n,
    })
    const { trace, stateDiff } = (await call('trace_rawTransaction', raw, ['trace', 'stateDiff'])) as Traces
    expect(trace[0]?.action).toMatchObject({ from: SENDER.address.toLowerCase(), to: STRANGER, value: '0x3' })
    expect(stateDiff[STRANGER]?.balance).toEqual({ '*': { from: '0x6', to: '0x9' } })
    for (const bad of [5, '0x', '0x1234', `${raw}00`])
      expect(await error('trace_rawTransaction', bad, ['trace'])).toEqual([
        -32602,
        expect.stringMatching(/^Invalid params \(transaction: ./),
      ])
  })
})
