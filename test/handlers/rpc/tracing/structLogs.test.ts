import { describe, expect, test } from 'bun:test'
import { address, code, deploying, type Part, returning, word } from '../../../core/evm/harness.ts'
import { toHex } from '../../../../core/bytes/hex.ts'
import { debugTrace } from './traceCode.ts'

type Step = {
  readonly pc: number
  readonly op: string
  readonly gas: number
  readonly gasCost: number
  readonly depth: number
  readonly refund?: number
  readonly stack?: readonly string[]
  readonly memory?: readonly string[]
  readonly storage?: Readonly<Record<string, string>>
  readonly returnData?: string
  readonly reason?: string
  readonly error?: string
}
type Trace = {
  readonly gas: number
  readonly failed: boolean
  readonly returnValue: string
  readonly structLogs: readonly Step[]
}

const GAS = { message: { gasLimit: 121_000n } }
const traced = (...args: Parameters<typeof debugTrace>): Trace => debugTrace(...args) as Trace
const steps = (...args: Parameters<typeof debugTrace>): readonly Step[] => traced(...args).structLogs
const slot = (value: number): string => toHex(word(value))

describe('given the opcode tracer', () => {
  test('when a transaction runs, then each step has the stack before it and its gas cost', () => {
    const trace = traced({}, returning(5, 7, 'ADD'), GAS)
    expect(trace).toEqual({
      gas: 21_000 + 6 * 3 + 6,
      failed: false,
      returnValue: toHex(word(12)),
      structLogs: [
        { pc: 0, op: 'PUSH1', gas: 100_000, gasCost: 3, depth: 1, stack: [] },
        { pc: 2, op: 'PUSH1', gas: 99_997, gasCost: 3, depth: 1, stack: ['0x5'] },
        { pc: 4, op: 'ADD', gas: 99_994, gasCost: 3, depth: 1, stack: ['0x5', '0x7'] },
        { pc: 5, op: 'PUSH1', gas: 99_991, gasCost: 3, depth: 1, stack: ['0xc'] },
        { pc: 7, op: 'MSTORE', gas: 99_988, gasCost: 6, depth: 1, stack: ['0xc', '0x0'] },
        { pc: 8, op: 'PUSH1', gas: 99_982, gasCost: 3, depth: 1, stack: [] },
        { pc: 10, op: 'PUSH1', gas: 99_979, gasCost: 3, depth: 1, stack: ['0x20'] },
        { pc: 12, op: 'RETURN', gas: 99_976, gasCost: 0, depth: 1, stack: ['0x20', '0x0'] },
      ],
    })
  })

  test('when no code runs, then it is empty', () => {
    expect(traced({}, new Uint8Array(0), GAS)).toEqual({
      gas: 21_000,
      failed: false,
      returnValue: '0x',
      structLogs: [],
    })
  })

  test('when a call passes gas on, then its cost includes it, as in geth, and what returns comes afterwards', () => {
    const found = steps({}, code([0, 0, 0, 0, 0, 0x22, 1000, 'CALL'], 'STOP'), {
      ...GAS,
      others: [[address(0x22), { code: code(1, 'POP') }]],
    })
    const call = found.find(({ op }) => op === 'CALL') as Step
    expect(call).toMatchObject({ gas: 100_000 - 21, gasCost: 2600 + 1000, depth: 1 })
    const inside = found.filter(({ depth }) => depth === 2)
    expect(inside.map(({ op, gas, gasCost }) => [op, gas, gasCost])).toEqual([
      ['PUSH1', 1000, 3],
      ['POP', 997, 2],
      ['STOP', 995, 0],
    ])
    expect(found.at(-1)).toMatchObject({ op: 'STOP', gas: 100_000 - 21 - 2600 - 5, stack: ['0x1'] })
  })

  test('when a creation runs, then its cost leaves out the gas of the new contract', () => {
    const found = steps({}, code([0, 0, 0, 'CREATE'], 'STOP'), GAS)
    const create = found.find(({ op }) => op === 'CREATE') as Step
    const left = 100_000 - 9 - 32_000
    expect(create.gasCost).toBe(32_000 + left - Math.floor(left / 64))
    expect(found.at(-1)?.gas).toBe(left)
  })

  test('when a call cannot begin, then it has its cost, and the rest returns', () => {
    const found = steps({}, code([0, 0, 0, 0, 5, 0x22, 1000, 'CALL'], 'STOP'), GAS)
    const call = found.find(({ op }) => op === 'CALL') as Step
    expect(call.gasCost).toBe(2600 + 9000 + 25_000 + 1000)
    expect(found.at(-1)).toMatchObject({
      op: 'STOP',
      gas: call.gas - 2600 - 9000 - 25_000 + 2300,
      stack: ['0x0'],
    })
  })

  test('when SLOAD and SSTORE run, then they show the accessed slots so far', () => {
    const program = code([7, 1, 'SSTORE'], [2, 'SLOAD POP'], [8, 1, 'SSTORE'])
    const found = steps({ disableStack: true }, program, { ...GAS, installed: { storage: { 2: 9n } } })
    expect(found.flatMap(({ op, storage }) => (storage === undefined ? [] : [[op, storage]]))).toEqual([
      ['SSTORE', { [slot(1)]: slot(7) }],
      ['SLOAD', { [slot(1)]: slot(7), [slot(2)]: slot(9) }],
      ['SSTORE', { [slot(1)]: slot(8), [slot(2)]: slot(9) }],
    ])
    expect(found.some(step => 'stack' in step)).toBe(false)
    expect(steps({ disableStorage: true }, program, GAS).some(step => 'storage' in step)).toBe(false)
  })

  test('when contracts and delegates write, then each contract has its own storage', () => {
    const library = code([2, 2, 'SSTORE'])
    const found = steps({}, code([1, 1, 'SSTORE'], [0, 0, 0, 0, 0x33, 50_000, 'DELEGATECALL']), {
      ...GAS,
      others: [[address(0x33), { code: library }]],
    })
    expect(
      found.filter(({ op }) => op === 'SSTORE').map(({ storage }) => Object.keys(storage ?? {}).length),
    ).toEqual([1, 2])
  })

  test('when memory and return data are requested in either client’s words, then they are shown', () => {
    const program = code([7, 0, 'MSTORE'], [0, 0, 32, 0, 4, 1000, 'STATICCALL'], 'STOP')
    const last = (options: Record<string, unknown>) => steps(options, program, GAS).at(-1)
    expect(last({ enableMemory: true })?.memory).toEqual([slot(7)])
    expect(last({ disableMemory: false })?.memory).toEqual([slot(7)])
    expect(last({ disableMemory: true })?.memory).toBeUndefined()
    expect(last({})?.memory).toBeUndefined()
    expect(last({ enableReturnData: true })?.returnData).toBe(slot(7))
    expect(last({})?.returnData).toBeUndefined()
  })

  test('when refunds occur, then they are counted', () => {
    const found = steps({}, code([0, 1, 'SSTORE'], 'STOP'), { ...GAS, installed: { storage: { 1: 5n } } })
    expect(found.map(({ refund }) => refund)).toEqual([undefined, undefined, undefined, 4800])
  })

  test('when the code ends within a PUSH, then a STOP follows its operand', () => {
    const found = steps({}, Uint8Array.of(0x60, 1, 0x63, 0xff), GAS)
    expect(found.map(({ pc, op, stack }) => [pc, op, stack])).toEqual([
      [0, 'PUSH1', []],
      [2, 'PUSH4', ['0x1']],
      [7, 'STOP', ['0x1', '0xff000000']],
    ])
  })

  test('when a frame fails, then its last step has the reason', () => {
    const last = (...parts: readonly Part[]) => {
      const { structLogs, failed, returnValue } = traced({}, code(...parts), GAS)
      expect(failed).toBe(true)
      const { op, error, reason, gasCost } = structLogs.at(-1) as Step
      return [op, error ?? reason, gasCost, returnValue]
    }
    expect(last('ADD')).toEqual(['ADD', 'INSUFFICIENT_STACK_ITEMS', 3, '0x'])
    expect(last(9, 'JUMP')).toEqual(['JUMP', 'INVALID_JUMP_DESTINATION', 8, '0x'])
    expect(last('INVALID')).toEqual(['INVALID', 'INVALID_OPERATION', 0, '0x'])
    expect(last(Uint8Array.of(0x0c))).toEqual(['INVALID', 'INVALID_OPERATION', 0, '0x'])
    expect(last(0xffffff, 0, 'MSTORE', 1, 'SLOAD', 0xffffff, 'MLOAD')).toEqual([
      'MLOAD',
      'INSUFFICIENT_GAS',
      expect.any(Number),
      '0x',
    ])
    expect(last([7, 0, 'MSTORE'], [32, 0, 'REVERT'])).toEqual(['REVERT', slot(7), 0, slot(7)])
  })

  test('when code must not run, then its instruction has no cost', () => {
    const writes = code([1, 1, 'SSTORE'])
    const found = steps({}, code([0, 0, 0, 0, 0x22, 50_000, 'STATICCALL'], 'STOP'), {
      ...GAS,
      others: [[address(0x22), { code: writes }]],
    })
    expect(found.findLast(({ depth }) => depth === 2)).toMatchObject({
      op: 'SSTORE',
      error: 'ILLEGAL_STATE_CHANGE',
      gasCost: 0,
    })
  })

  test('when a creation runs, then its steps are in its code, and no step has the deposit', () => {
    const init = deploying(code('STOP'))
    const trace = traced({}, new Uint8Array(0), { message: { to: undefined, data: init } })
    expect(trace.structLogs.at(-1)).toMatchObject({ op: 'RETURN', gasCost: 0 })
    expect(trace.returnValue).toBe('0x00')
  })

  test('when forks differ, then opcodes have the fork’s names', () => {
    const named = (fork: 'istanbul' | 'paris') =>
      steps({}, code('PREVRANDAO', 'BASEFEE'), { ...GAS, fork }).map(({ op }) => op)
    expect(named('istanbul')).toEqual(['DIFFICULTY', 'INVALID'])
    expect(named('paris')).toEqual(['PREVRANDAO', 'BASEFEE', 'STOP'])
  })

  test('when a limit or opcodes are given, then only those steps are kept', () => {
    const program = code(1, 2, 'ADD', 'POP', 3, 'POP')
    expect(steps({ limit: 2 }, program, GAS).map(({ pc, gasCost }) => [pc, gasCost])).toEqual([
      [0, 3],
      [2, 3],
    ])
    expect(steps({ opcodes: ['pop', 'ADD'] }, program, GAS).map(({ op, gasCost }) => [op, gasCost])).toEqual([
      ['ADD', 3],
      ['POP', 2],
      ['POP', 2],
    ])
  })
})
