import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import type { Hex } from 'viem'
import { type Anvil, startAnvil } from '../../../bench/engines/anvil.ts'
import { CHILD, signedPlan, startTracingChain, TRACING, type TracingChain } from './tracingChain.ts'

setDefaultTimeout(120_000)

type Step = {
  readonly refund?: number
  readonly returnData?: string
  readonly error?: string
  readonly reason?: string
  readonly gasCost: number
}
type Struct = { readonly structLogs: readonly Step[] }
type Frame = {
  readonly gas: string
  readonly error?: string
  readonly logs?: readonly unknown[]
  readonly calls?: readonly Frame[]
}
type Accounts = Readonly<Record<string, { readonly codeHash?: string }>>
type Flat = {
  readonly result?: unknown
  readonly error?: string
  readonly revertReason?: string
  readonly blockHash: string
}

let chain: TracingChain
let anvil: Anvil

beforeAll(async () => {
  anvil = await startAnvil(['--hardfork', 'osaka', '--no-mining', '--steps-tracing'])
  chain = await startTracingChain()
  for (const { name, transaction } of await signedPlan()) {
    const hash = await anvil.rpc<Hex>('eth_sendRawTransaction', transaction)
    if (hash !== chain.hashes[name]) throw new Error(`anvil has another hash of ${name}`)
    await anvil.rpc('evm_mine')
  }
})

afterAll(async () => {
  await anvil?.stop()
  await chain?.node.close()
})

const both = async <T>(
  method: string,
  ...params: readonly unknown[]
): Promise<readonly [own: T, anvil: T]> => [
  (await chain.node.call(method, ...params)) as T,
  await anvil.rpc<T>(method, ...params),
]

const NAMES = [
  'deploy',
  'callAndLog',
  'precompiles',
  'delegated',
  'caught',
  'uncaught',
  'create',
  'collision',
  'tryCreate',
  'looks',
  'send',
  'sendTooMuch',
  'createAndLeave',
  'panics',
  'outOfGas',
  'transfer',
] as const

const without = (...names: readonly string[]): readonly string[] =>
  NAMES.filter(name => !names.includes(name))

const ERRORS: Readonly<Record<string, string>> = {
  'out of gas': 'Out of gas',
  'invalid opcode: INVALID': 'Invalid opcode: 0xfe',
  CreateCollision: 'Illegal state change',
  'insufficient balance for transfer': 'insufficient balance for transfer',
}

/** Besu's words for why something halted. */
const errorOf = (error: string | undefined): { readonly error?: string } =>
  error === undefined ? {} : { error: ERRORS[error] ?? error }

/** The same transactions run in anvil. What differs in its traces is listed here; nothing else differs. */
describe('given a trace of anvil', () => {
  /** anvil gives the refund and the return data of every step, also where there is none; and its own words for errors. */
  const plain = ({ refund, returnData, error: _error, reason: _reason, ...step }: Step) => ({
    ...step,
    refund: refund ?? 0,
    returnData: returnData ?? '0x',
  })

  test.each(NAMES)('when %s is traced, then the steps are equal', async name => {
    const options = { enableMemory: true, enableReturnData: true }
    const [own, theirs] = await both<Struct>('debug_traceTransaction', chain.hashes[name], options)
    expect({ ...own, structLogs: own.structLogs.length }).toEqual({
      ...theirs,
      structLogs: theirs.structLogs.length,
    })
    own.structLogs.forEach((step, i) => {
      // What an instruction that failed would have cost: anvil counts other parts of it.
      const cost = step.error === undefined ? {} : { gasCost: step.gasCost }
      expect(plain(step)).toEqual({ ...plain(theirs.structLogs[i] as Step), ...cost })
    })
  })

  /** Logs of what failed are none: geth leaves them out, anvil does not. */
  const asOwn = ({ error, logs, calls, ...frame }: Frame): Frame => ({
    ...frame,
    ...errorOf(error),
    ...(logs === undefined || error !== undefined ? {} : { logs }),
    ...(calls === undefined ? {} : { calls: calls.map(asOwn) }),
  })

  test.each(NAMES)('when %s is traced, then the calls are equal', async name => {
    const options = { tracer: 'callTracer', tracerConfig: { withLog: true } }
    const [own, theirs] = await both<Frame>('debug_traceTransaction', chain.hashes[name], options)
    // The gas of the whole transaction, as in geth; anvil tells what its first call had.
    expect(own).toEqual({ ...asOwn(theirs), gas: own.gas })
  })

  // anvil counts what precompiles are called with, too; geth does not.
  test.each(without('precompiles'))('when %s is traced, then the selectors are equal', async name => {
    const [own, theirs] = await both('debug_traceTransaction', chain.hashes[name], { tracer: '4byteTracer' })
    expect(own).toEqual(theirs)
  })

  /** Of the contracts alone: fees go to others there. anvil has no code hashes. */
  const contractsIn = (accounts: Accounts) =>
    Object.fromEntries(
      [TRACING, CHILD].flatMap(address => {
        const { codeHash: _codeHash, ...account } = accounts[address] ?? {}
        return accounts[address] === undefined ? [] : [[address, account]]
      }),
    )

  // anvil lists accounts that are empty, as the contract still is when it is deployed, and the slot that an SSTORE without
  // gas for it meant; geth does not.
  test.each(without('deploy', 'outOfGas'))(
    'when %s is traced, then the prestate of the contracts is equal',
    async name => {
      const options = { tracer: 'prestateTracer' }
      const [own, theirs] = await both<Accounts>('debug_traceTransaction', chain.hashes[name], options)
      expect(contractsIn(own)).toEqual(contractsIn(theirs))
    },
  )

  test.each(without('deploy'))(
    'when %s is traced, then the changes of the contracts are equal',
    async name => {
      type Diff = { readonly pre: Accounts; readonly post: Accounts }
      const options = { tracer: 'prestateTracer', tracerConfig: { diffMode: true } }
      const [own, theirs] = await both<Diff>('debug_traceTransaction', chain.hashes[name], options)
      expect(contractsIn(own.post)).toEqual(contractsIn(theirs.post))
      expect(contractsIn(own.pre)).toEqual(contractsIn(theirs.pre))
    },
  )

  // As in Besu, calls that never began are none, nor are precompiles that no money is sent to.
  test.each(without('precompiles', 'sendTooMuch'))(
    'when %s is traced, then the flat traces are equal',
    async name => {
      const [own, theirs] = await both<readonly Flat[]>('trace_transaction', chain.hashes[name])
      // As in Besu, an error stands in the place of the result, and the first trace has the reason of a revert.
      const shown = ({ result, error, revertReason: _reason, blockHash: _hash, ...trace }: Flat) => ({
        ...trace,
        ...(error === undefined ? { result } : errorOf(error)),
      })
      expect(own.map(shown)).toEqual(theirs.map(shown))
    },
  )
})
