import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import * as fc from 'fast-check'
import { toHex, toQuantity } from '../../../../core/bytes/hex.ts'
import { address, code, deploying, type Part } from '../../../core/evm/harness.ts'
import { type Graphql, graphqlOf } from '../../graphql/support/graphqlNode.ts'
import { type RpcReply, startTestNode, type TestNode } from '../../support/testNode.ts'

const RICH = 0xa11ce
const POOR = 0xb0b
const ABSENT = 0xdead
const RUNNER = 0xc0de
const hex = (account: number): string => toHex(address(account))

/** Deploys the call data and runs what was deployed as its own code, with the caller and the value of the call. */
const RUNNER_CODE = code(
  ['CALLDATASIZE', 0, 0, 'CALLDATACOPY'],
  ['CALLDATASIZE', 0, 0, 'CREATE'],
  [0, 0, 0, 0, 'DUP5 GAS DELEGATECALL', 0, 'MSTORE'],
  ['RETURNDATASIZE', 0, 32, 'RETURNDATACOPY', 'RETURNDATASIZE', 32, 'ADD', 0, 'RETURN'],
)

const BALANCES: readonly (readonly [account: number, wei: bigint])[] = [
  [RICH, 10n ** 18n],
  [POOR, 3n],
  [RUNNER, 100n],
]

/** Memory that no result is written to. */
const SCRATCH = 0x800

const ACCOUNTS = fc.constantFrom<Part>('CALLER', 'ORIGIN', 'ADDRESS', RICH, POOR, ABSENT)
const WEI = fc.constantFrom(0, 1, 2, 50, 1000)

/** Code that leaves one word. */
const step: fc.Arbitrary<Part> = fc.oneof(
  fc.constantFrom('SELFBALANCE', 'CALLVALUE', 'GASPRICE', 'CALLER BALANCE', 'ORIGIN BALANCE'),
  ACCOUNTS.map(account => [account, 'BALANCE']),
  fc.tuple(ACCOUNTS, WEI).map(([account, wei]) => [0, 0, 0, 0, wei, account, 30_000, 'CALL']),
  // Creates a contract that gives its wei to the sender at once.
  WEI.map(wei => [0x32ff, SCRATCH, 'MSTORE', 2, SCRATCH + 30, wei, 'CREATE BALANCE']),
)

/** Code that returns the words of its steps. */
const program = fc.array(step, { minLength: 1, maxLength: 8 }).map(steps =>
  code(
    steps.map((part, index) => [part, 32 * index, 'MSTORE']),
    [32 * steps.length, 0, 'RETURN'],
  ),
)

const sent = fc.record({
  from: fc.constantFrom(RICH, POOR, ABSENT, RUNNER).map(hex),
  value: fc.constantFrom(0n, 1n, 3n, 4n, 10n ** 18n).map(toQuantity),
  gasPrice: fc.constantFrom(undefined, '0x0', '0x1', '0x3e8'),
})

/** The output; whatever a method says of a sender that cannot pay is one answer. */
const outcomeOf = ({ result, error }: RpcReply, output: (result: never) => unknown): unknown => {
  if (error === undefined) return output(result as never)
  const isUnpaid = [-32004, -38014].includes(error.code) || error.message.includes('up-front cost')
  return isUnpaid ? 'the sender cannot pay' : error
}

type Overrides = Readonly<Record<string, object>>

describe('given any code that reads or pays the sender', () => {
  let node: TestNode
  let graphql: Graphql
  beforeAll(async () => {
    node = await startTestNode({
      genesis: genesis => {
        Object.assign(genesis['config'] as object, { zeroBaseFee: true })
        genesis['baseFeePerGas'] = '0x0'
        const alloc = genesis['alloc'] as Record<string, object>
        for (const [account, wei] of BALANCES) alloc[hex(account)] = { balance: toQuantity(wei) }
        alloc[hex(RUNNER)] = { ...alloc[hex(RUNNER)], code: toHex(RUNNER_CODE) }
      },
    })
    graphql = graphqlOf(node)
  })
  afterAll(() => node.close())

  const ethCall = async (call: object, overrides: Overrides) =>
    outcomeOf(await node.rpc('eth_call', call, 'latest', overrides), output => output)
  const debugTraceCall = async (call: object, stateOverrides: Overrides) =>
    outcomeOf(
      await node.rpc('debug_traceCall', call, 'latest', { stateOverrides }),
      ({ returnValue }: { returnValue: string }) => `0x${returnValue.replace(/^0x/, '')}`,
    )
  const simulate = async (call: object, stateOverrides: Overrides) =>
    outcomeOf(
      await node.rpc('eth_simulateV1', { blockStateCalls: [{ calls: [call], stateOverrides }] }, 'latest'),
      ([block]: [{ calls: [{ returnData: string }] }]) => block.calls[0].returnData,
    )
  const traceCall = async (call: object) =>
    outcomeOf(
      await node.rpc('trace_call', call, ['trace'], 'latest'),
      ({ output }: { output: string }) => output,
    )
  const graphqlCall = async (call: object) => {
    const members = Object.entries(call).map(([name, value]) => `${name}: ${JSON.stringify(value)}`)
    const { data, errors } = await graphql.ask(`{ block { call(data: { ${members.join(', ')} }) { data } } }`)
    const error = errors?.[0]
    if (error === undefined) return data.block.call.data as string
    return error.extensions?.['errorCode'] === -32004 ? 'the sender cannot pay' : error
  }

  const callOf = (runtime: Uint8Array, members: object): object => ({
    ...JSON.parse(JSON.stringify(members)),
    to: hex(RUNNER),
    gas: '0x1e8480',
    data: toHex(deploying(runtime)),
  })

  test('when eth_call, debug_traceCall, trace_call, eth_simulateV1 and GraphQL run it, then they agree', async () => {
    await fc.assert(
      fc.asyncProperty(program, sent, async (runtime, members) => {
        const call = callOf(runtime, members)
        const expected = await ethCall(call, {})
        const others = [debugTraceCall(call, {}), simulate(call, {}), traceCall(call), graphqlCall(call)]
        expect(await Promise.all(others)).toEqual(others.map(() => expected))
      }),
      { numRuns: 100 },
    )
  })

  test('when the balance of the sender is overridden, then those with overrides agree, too', async () => {
    await fc.assert(
      fc.asyncProperty(program, sent, WEI, async (runtime, members, wei) => {
        const call = callOf(runtime, members)
        const overrides = { [members.from]: { balance: toQuantity(wei) } }
        const expected = await ethCall(call, overrides)
        const others = [debugTraceCall(call, overrides), simulate(call, overrides)]
        expect(await Promise.all(others)).toEqual(others.map(() => expected))
      }),
      { numRuns: 100 },
    )
  })

  test('when it ends, then the sender has the state’s balance less payments plus receipts', async () => {
    const balance = (wei: bigint): string => toHex(code()) + wei.toString(16).padStart(64, '0')
    const read = code('CALLER BALANCE', 0, 'MSTORE', 32, 0, 'RETURN')
    const paid = code(0, 0, 0, 0, 1, 'CALLER GAS CALL CALLER BALANCE', 0, 'MSTORE', 32, 0, 'RETURN')
    const balanceIn = async (runtime: Uint8Array, members: object, overrides: Overrides = {}) => {
      const output = (await ethCall(callOf(runtime, { from: hex(POOR), ...members }), overrides)) as string
      return `0x${output.slice(2 + 64)}`
    }
    expect(await balanceIn(read, {})).toBe(balance(3n))
    expect(await balanceIn(read, { value: '0x2' })).toBe(balance(1n))
    expect(await balanceIn(paid, { value: '0x2' })).toBe(balance(2n))
    expect(await balanceIn(read, {}, { [hex(POOR)]: { balance: '0x5' } })).toBe(balance(5n))
    expect(await balanceIn(read, { gasPrice: '0x3e8', from: hex(RICH) })).toBe(
      balance(10n ** 18n - 2_000_000n * 1000n),
    )
  })
})
