import { describe, expect, test } from 'bun:test'
import { toHex } from '../../../../core/bytes/hex.ts'
import { createAddress } from '../../../../core/evm/frames/address.ts'
import {
  address,
  BENEFICIARY,
  CALLER,
  code,
  CONTRACT,
  deploying,
  type Part,
  returning,
  word,
} from '../../../core/evm/harness.ts'
import { hex, parityTrace } from './traceCode.ts'

type Options = Parameters<typeof parityTrace>[2]
type Flat = {
  readonly type: string
  readonly action: Readonly<Record<string, string>>
  readonly result?: Readonly<Record<string, string>> | null
  readonly error?: string
  readonly revertReason?: string
  readonly subtraces: number
  readonly traceAddress: readonly number[]
}
type Operation = {
  readonly pc: number
  readonly cost: number
  readonly ex: {
    readonly mem: { readonly data: string; readonly off: number } | null
    readonly push: readonly string[]
    readonly store: { readonly key: string; readonly val: string } | null
    readonly used: number
  } | null
  readonly sub: VmTrace | null
}
type VmTrace = { readonly code: string; readonly ops: readonly Operation[] }
type Traces = {
  readonly output: string
  readonly revertReason?: string
  readonly trace: readonly Flat[]
  readonly stateDiff: Readonly<Record<string, Readonly<Record<string, unknown>>>> | null
  readonly vmTrace: VmTrace | null
}

const GAS = { message: { gasLimit: 121_000n } }
const OTHER = address(0x22)
const LEAVER = address(0x33)
const CALL_OTHER: readonly Part[] = [0, 0, 0, 0, 0, 0x22, 50_000, 'CALL']

const traces = (types: readonly string[], parts: readonly Part[], options: Options = GAS): Traces =>
  parityTrace(types, code(...parts), options) as Traces
const flat = (parts: readonly Part[], options: Options = GAS): readonly Flat[] =>
  traces(['trace'], parts, options).trace
const vmTrace = (parts: readonly Part[], options: Options = GAS): VmTrace =>
  traces(['vmTrace'], parts, options).vmTrace as VmTrace
const stateDiff = (parts: readonly Part[], options: Options = GAS) =>
  traces(['stateDiff'], parts, options).stateDiff as NonNullable<Traces['stateDiff']>

describe('given trace types', () => {
  test('when they are requested, then they are answered, and the others are empty', () => {
    const none = traces([], [returning(1)])
    expect(none).toEqual({ output: toHex(word(1)), stateDiff: null, trace: [], vmTrace: null })
    const all = traces(['TRACE', 'vmtrace', 'StateDiff'], [returning(1)])
    expect(all.trace).toHaveLength(1)
    expect(all.vmTrace?.ops.length).toBeGreaterThan(0)
    expect(Object.keys(all.stateDiff ?? {})).toContain(hex(CALLER))
  })

  test('when a call reverts, then its output is the revert data, without revertReason', () => {
    const reverted = traces(
      ['trace'],
      [
        [7, 0, 'MSTORE'],
        [32, 0, 'REVERT'],
      ],
    )
    expect(reverted.output).toBe(toHex(word(7)))
    expect(reverted.revertReason).toBeUndefined()
    expect(reverted.trace[0]).toMatchObject({ error: 'Reverted', revertReason: toHex(word(7)) })
  })
})

describe('given the type trace', () => {
  test('when a transaction runs, then its gas leaves out the intrinsic part and is before refunds', () => {
    const [call] = flat([returning(7)], { message: { ...GAS.message, value: 2n } })
    expect(call).toEqual({
      action: {
        callType: 'call',
        from: hex(CALLER),
        gas: '0x186a0',
        input: '0x',
        to: hex(CONTRACT),
        value: '0x2',
      },
      result: { gasUsed: '0x12', output: toHex(word(7)) },
      subtraces: 0,
      traceAddress: [],
      type: 'call',
    })
  })

  test('when calls, creations and self-destructs occur, then they are in order with their positions', () => {
    const found = flat([CALL_OTHER, [0, 0, 0, 0, 0, 0x33, 50_000, 'CALL'], [0, 0, 0, 0, 'CREATE2']], {
      message: { gasLimit: 521_000n },
      others: [
        [OTHER, { code: code([0, 0, 0, 'CREATE']) }],
        [LEAVER, { code: code(0x44, 'SELFDESTRUCT'), balance: 6n }],
      ],
    })
    expect(found.map(({ type, traceAddress, subtraces }) => [type, traceAddress, subtraces])).toEqual([
      ['call', [], 3],
      ['call', [0], 1],
      ['create', [0, 0], 0],
      ['call', [1], 1],
      ['suicide', [1, 0], 0],
      ['create', [2], 0],
    ])
    expect(found[2]?.action).toEqual({ from: hex(OTHER), gas: '0x452e', init: '0x', value: '0x0' })
    expect(found[2]?.result).toMatchObject({
      address: hex(createAddress(OTHER, 0n)),
      code: '0x',
      gasUsed: '0x0',
    })
    expect(found[4]).toMatchObject({
      action: { address: hex(LEAVER), refundAddress: hex(address(0x44)), balance: '0x6' },
      result: null,
    })
    expect(found[5]?.action).toMatchObject({ from: hex(CONTRACT) })
    expect(found[5]?.action).not.toHaveProperty('creationMethod')
  })

  test('when a call fails, then it has an error instead of a result', () => {
    const failing = (bytes: Uint8Array) =>
      flat([CALL_OTHER], { ...GAS, others: [[OTHER, { code: bytes }]] })[1]
    for (const [bytes, error] of [
      [code(0, 0, 'REVERT'), 'Reverted'],
      [code('ADD'), 'Stack underflow'],
      [code('INVALID'), 'Bad instruction'],
      [code(9, 'JUMP'), 'Bad jump destination'],
    ] as const) {
      const found = failing(bytes)
      expect(found?.error).toBe(error)
      expect(found !== undefined && 'result' in found).toBe(false)
    }
  })

  test('when calls never began, or call precompiles without value, then they are left out', () => {
    const parts: readonly Part[] = [
      [0, 0, 0, 0, 9, 0x22, 1000, 'CALL'],
      [0, 0, 0, 0, 4, 1000, 'STATICCALL'],
      [0, 0, 0, 0, 1, 4, 1000, 'CALL'],
    ]
    const found = flat(parts, { ...GAS, installed: { balance: 3n } })
    expect(found.map(({ action }) => action['to'])).toEqual([hex(CONTRACT), hex(address(4))])
    expect(found[0]?.subtraces).toBe(1)
    const top = flat([], { message: { ...GAS.message, to: address(4), data: Uint8Array.of(5) } })
    expect(top[0]?.result).toEqual({ gasUsed: '0x12', output: '0x05' })
  })
})

describe('given the type stateDiff', () => {
  test('when accounts change, then it has unchanged, added, removed and changed values', () => {
    const found = stateDiff([[9, 1, 'SSTORE'], [0, 2, 'SSTORE'], [5, 3, 'SSTORE'], CALL_OTHER], {
      message: { gasLimit: 521_000n, value: 4n, maxFeePerGas: 10n, maxPriorityFeePerGas: 1n },
      installed: { storage: { 1: 1n, 2: 2n, 3: 5n } },
      others: [[OTHER, { code: code(0x44, 'SELFDESTRUCT'), balance: 6n }]],
      fork: 'shanghai',
    })
    expect(found[hex(CONTRACT)]).toEqual({
      balance: { '*': { from: '0x0', to: '0x4' } },
      code: '=',
      nonce: '=',
      storage: {
        [toHex(word(1))]: { '*': { from: toHex(word(1)), to: toHex(word(9)) } },
        [toHex(word(2))]: { '*': { from: toHex(word(2)), to: toHex(word(0)) } },
      },
    })
    expect(found[hex(OTHER)]).toEqual({
      balance: { '-': '0x6' },
      code: { '-': toHex(code(0x44, 'SELFDESTRUCT')) },
      nonce: { '-': '0x0' },
      storage: {},
    })
    expect(found[hex(address(0x44))]).toEqual({
      balance: { '+': '0x6' },
      code: { '+': '0x' },
      nonce: { '+': '0x0' },
      storage: {},
    })
    expect(found[hex(CALLER)]).toMatchObject({ nonce: { '*': { from: '0x0', to: '0x1' } } })
    expect(Object.keys(found[hex(BENEFICIARY)]?.['balance'] as object)).toEqual(['+'])
  })

  test('when a contract is new, then it has only slots that are not empty', () => {
    const init = code(
      [1, 1, 'SSTORE'],
      [1, 2, 'SSTORE'],
      [0, 2, 'SSTORE'],
      deploying(code('STOP')).slice(0, 0),
    )
    const found = stateDiff([], { message: { gasLimit: 521_000n, to: undefined, data: init } })
    expect(found[hex(createAddress(CALLER, 0n))]).toEqual({
      balance: { '+': '0x0' },
      code: { '+': '0x' },
      nonce: { '+': '0x1' },
      storage: { [toHex(word(1))]: { '+': toHex(word(1)) } },
    })
  })

  test('when a change is undone, then it is absent', () => {
    const found = stateDiff([CALL_OTHER], {
      ...GAS,
      others: [[OTHER, { code: code([1, 1, 'SSTORE'], 0, 0, 'REVERT') }]],
    })
    expect(Object.keys(found)).toEqual([hex(CALLER)])
  })
})

describe('given the type vmTrace', () => {
  const operation = (trace: VmTrace, pc: number): Operation => trace.ops.find(op => op.pc === pc) as Operation

  test('when instructions run, then each has pushed items, writes and the gas left', () => {
    const program: readonly Part[] = [7, 0, 'MSTORE', [9, 1, 'SSTORE'], 'STOP']
    const found = vmTrace(program, { ...GAS, fork: 'istanbul' })
    expect(found.code).toBe(toHex(code(...program)))
    const plain = { mem: null, push: [], store: null }
    expect(found.ops).toEqual([
      { pc: 0, cost: 3, ex: { ...plain, push: ['0x7'], used: 99_997 }, sub: null },
      { pc: 2, cost: 3, ex: { ...plain, push: ['0x0'], used: 99_994 }, sub: null },
      { pc: 4, cost: 6, ex: { ...plain, mem: { data: toHex(word(7)), off: 0 }, used: 99_988 }, sub: null },
      { pc: 5, cost: 3, ex: { ...plain, push: ['0x9'], used: 99_985 }, sub: null },
      { pc: 7, cost: 3, ex: { ...plain, push: ['0x1'], used: 99_982 }, sub: null },
      { pc: 9, cost: 20_000, ex: { ...plain, store: { key: '0x1', val: '0x9' }, used: 79_982 }, sub: null },
      { pc: 10, cost: 0, ex: { ...plain, used: 79_982 }, sub: null },
    ])
  })

  test('when DUP and SWAP run, then they push all accessed items, the deepest first', () => {
    const found = vmTrace([1, 2, 3, 'SWAP2', 'DUP2'])
    expect(operation(found, 6).ex?.push).toEqual(['0x3', '0x2', '0x1'])
    expect(operation(found, 7).ex?.push).toEqual(['0x2', '0x1', '0x2'])
  })

  test('when a call runs, then it has the inner trace, and its cost includes the callee’s gas', () => {
    const found = vmTrace([[32, 8, 0, 0, 0, 0x22, 1000, 'CALL'], 'STOP'], {
      ...GAS,
      others: [[OTHER, { code: returning(6) }]],
    })
    const call = operation(found, 15)
    expect(call.cost).toBe(2600 + 6 + 1000)
    expect(call.ex).toMatchObject({ push: ['0x1'], mem: { data: toHex(word(6)), off: 8 } })
    expect(call.sub?.code).toBe(toHex(returning(6)))
    expect(call.sub?.ops.map(({ cost }) => cost)).toEqual([3, 3, 6, 3, 3, 0])
    expect(call.ex?.used).toBe(operation(found, 16).ex?.used as number)
  })

  test('when a call has an output range, then its memory is the whole range, even if the callee gave less', () => {
    const returned = [[64, 8, 0, 0, 0, 0x22, 1000, 'CALL'], 'STOP'] as const
    const found = vmTrace(returned, { ...GAS, others: [[OTHER, { code: returning(6) }]] })
    expect(operation(found, 15).ex?.mem).toEqual({ data: toHex(word(6)) + '00'.repeat(32), off: 8 })
    const nothing = vmTrace([7, 0, 'MSTORE', [32, 0, 0, 0, 0, 0x22, 1000, 'CALL'], 'STOP'], GAS)
    expect(operation(nothing, 20).ex?.mem).toEqual({ data: toHex(word(7)), off: 0 })
    expect(operation(vmTrace([CALL_OTHER, 'STOP']), 15).ex?.mem).toBeNull()
  })

  test('when CALL or STATICCALL hit an account without code, then they cost the passed gas, others do not', () => {
    const sub = { code: '0x', ops: [] }
    const found = vmTrace(
      [
        CALL_OTHER,
        [0, 0, 0, 0, 0x22, 1000, 'STATICCALL'],
        [0, 0, 0, 0, 1, 0x22, 1000, 'CALL'],
        [0, 0, 0, 0, 0x22, 1000, 'DELEGATECALL'],
        [0, 0, 0, 0, 0, 0x22, 1000, 'CALLCODE'],
        [0, 0, 0, 0, 4, 1000, 'STATICCALL'],
        [0, 0, 0, 0, 99, 0x22, 1000, 'CALL'],
      ],
      {
        ...GAS,
        installed: { balance: 1n },
        others: [[OTHER, { nonce: 1n }]],
      },
    )
    const calls = found.ops.filter(({ sub: inside }) => inside !== null)
    expect(calls.map(({ cost }) => cost)).toEqual([
      2600 + 50_000,
      100 + 1000,
      100 + 9000 + 1000,
      100,
      100,
      100 + 15,
      100 + 9000,
    ])
    expect(calls).toHaveLength(7)
    expect(calls.map(({ sub: inside }) => inside)).toEqual(calls.map(() => sub))
  })

  test('when a creation hits an address in use, then it has the code; one too expensive has its memory in its cost', () => {
    const init = code('STOP STOP STOP')
    const once: readonly Part[] = [0, 3, 29, 0, 'CREATE2']
    const found = vmTrace([BigInt(toHex(init)), 0, 'MSTORE', ...once, ...once], {
      message: { gasLimit: 621_000n },
    })
    const subs = found.ops.flatMap(({ sub: inside }) => (inside === null ? [] : [inside]))
    expect(subs.map(({ code: ran }) => ran)).toEqual([toHex(init), toHex(init)])
    const poor = vmTrace([32, 64, 0, 'CREATE'], { message: { gasLimit: 31_000n } }).ops.at(-1)
    expect(poor).toMatchObject({ cost: 32_000 + 9, ex: null })
  })

  test('when an instruction cannot begin, then it is left out; out of gas has no result, a bad jump has its cost', () => {
    expect(vmTrace([1, 'INVALID']).ops.map(({ pc }) => pc)).toEqual([0])
    expect(vmTrace([1, 'ADD']).ops.map(({ pc }) => pc)).toEqual([0])
    const jump = vmTrace([9, 'JUMP']).ops
    expect(jump.map(({ cost, ex }) => [cost, ex?.used])).toEqual([
      [3, 99_997],
      [8, 99_989],
    ])
    const poor = vmTrace([1, 'SLOAD'], { message: { gasLimit: 21_100n } }).ops
    expect(poor[1]).toEqual({ pc: 2, cost: 2100, ex: null, sub: null })
  })

  test('when code runs past its end, then it stops without an instruction, and a single STOP is not listed', () => {
    expect(vmTrace([1]).ops).toHaveLength(1)
    expect(vmTrace(['STOP']).ops).toEqual([])
    expect(vmTrace([], { message: { ...GAS.message, to: address(0x99) } })).toEqual({ code: '0x', ops: [] })
  })

  test('when a transaction creates, then it is the trace of the initialization code', () => {
    const init = deploying(code('STOP'))
    expect(vmTrace([], { message: { gasLimit: 521_000n, to: undefined, data: init } }).code).toBe(toHex(init))
  })
})
