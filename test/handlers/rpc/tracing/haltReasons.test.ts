import { describe, expect, test } from 'bun:test'
import type { HaltReason } from '../../../../core/evm/transaction/result.ts'
import { tracerOf } from '../../../../handlers/rpc/tracing/options.ts'
import { address, code, deploying, type Part, type RunOptions } from '../../../core/evm/harness.ts'
import { debugTrace, parityTrace, traceCode } from './traceCode.ts'

type Frame = { readonly error?: string; readonly calls?: readonly Frame[] }
type Struct = { readonly structLogs: readonly { readonly error?: string }[] }
type Parity = { readonly trace: readonly { readonly error?: string }[] }

type Row = readonly [name: string, text: HaltReason, flat: string, code: Uint8Array, options?: RunOptions]

const GAS = { message: { gasLimit: 200_000n } }

/** Besu's ExceptionalHaltReason: name, description, the text of its flat traces, and code that halts for it. */
const ROWS: readonly Row[] = [
  ['INSUFFICIENT_GAS', 'Out of gas', 'Out of gas', code(2n ** 31n, 'MLOAD')],
  ['INSUFFICIENT_STACK_ITEMS', 'Stack underflow', 'Stack underflow', code(1, 'ADD')],
  ['INVALID_JUMP_DESTINATION', 'Bad jump destination', 'Bad jump destination', code(9, 'JUMP')],
  ['INVALID_OPERATION', 'Invalid opcode: 0xfe', 'Bad instruction', code('INVALID')],
  ['INVALID_OPERATION', 'Invalid opcode: 0x0c', 'Bad instruction', Uint8Array.of(0x0c)],
  ['INVALID_OPERATION', 'Invalid opcode: 0x5f', 'Bad instruction', Uint8Array.of(0x5f), { fork: 'london' }],
  ['INVALID_RETURN_DATA_BUFFER_ACCESS', 'Out of bounds', 'Out of bounds', code(1, 0, 0, 'RETURNDATACOPY')],
  ['TOO_MANY_STACK_ITEMS', 'Out of stack', 'Out of stack', Uint8Array.from({ length: 1025 }, () => 0x30)],
  ['CODE_TOO_LARGE', 'Code is too large', 'Code is too large', code(0, 50_000, 0, 0, 'CREATE2')],
]

const callFrame = (bytes: Uint8Array, options: RunOptions): Frame =>
  debugTrace({ tracer: 'callTracer' }, bytes, options) as Frame

describe('given Besu’s halt reasons', () => {
  test.each(ROWS)('when %s occurs, then the text is %s', (name, text, flat, bytes, options = {}) => {
    const run = { ...GAS, ...options }
    const { result } = traceCode(tracerOf({}), bytes, run)
    expect(result.failure).toEqual({ kind: 'halt', reason: text })
    expect(callFrame(bytes, run).error).toBe(text)
    expect((debugTrace({}, bytes, run) as Struct).structLogs.at(-1)?.error).toBe(name)
    expect((parityTrace(['trace'], bytes, run) as Parity).trace[0]?.error).toBe(flat)
  })

  test.each([
    ['SSTORE', [1, 1, 'SSTORE']],
    ['TSTORE', [1, 1, 'TSTORE']],
    ['LOG0', [0, 0, 'LOG0']],
    ['SELFDESTRUCT', [0, 'SELFDESTRUCT']],
    ['CREATE', [0, 0, 0, 'CREATE']],
    ['CREATE2', [0, 0, 0, 0, 'CREATE2']],
    ['CALL with value', [0, 0, 0, 0, 1, 0x99, 0, 'CALL']],
  ] as const)('when %s runs in a static call, then it is ILLEGAL_STATE_CHANGE', (_, parts) => {
    const bytes = code([0, 0, 0, 0, 0x22, 50_000, 'STATICCALL'])
    const run = { ...GAS, others: [[address(0x22), { code: code(...(parts as readonly Part[])) }]] } as const
    expect(callFrame(bytes, run).calls?.[0]?.error).toBe('Illegal state change')
    const { structLogs } = debugTrace({}, bytes, run) as Struct
    expect(structLogs.flatMap(({ error }) => error ?? [])).toEqual(['ILLEGAL_STATE_CHANGE'])
    expect((parityTrace(['trace'], bytes, run) as Parity).trace[1]?.error).toBe('Illegal state change')
  })

  test('when a creation hits an address in use, then it is ILLEGAL_STATE_CHANGE', () => {
    const twice = [
      [0, 0, 0, 0, 'CREATE2'],
      [0, 0, 0, 0, 'CREATE2'],
    ] as const
    expect(callFrame(code(...twice), GAS).calls?.map(({ error }) => error)).toEqual([
      undefined,
      'Illegal state change',
    ])
  })

  const creating = (deployed: Uint8Array): RunOptions => ({
    message: { to: undefined, data: deploying(deployed), gasLimit: 10_000_000n },
  })

  test.each([
    ['Out of gas', { message: { to: undefined, data: deploying(new Uint8Array(1000)), gasLimit: 120_000n } }],
    ['Code is too large', creating(new Uint8Array(24577))],
    ['Code is invalid', creating(Uint8Array.of(0xef))],
  ] as const)('when %s occurs at the deposit of a contract, then the text is Besu’s', (text, run) => {
    expect(callFrame(code('STOP'), run).error).toBe(text)
  })

  test('when a precompile fails, then it is PRECOMPILE_ERROR: Precompile error', () => {
    const run = { message: { to: address(9), data: new Uint8Array(1), gasLimit: 100_000n } }
    const { result } = traceCode(tracerOf({}), code('STOP'), run)
    expect(result.failure).toEqual({ kind: 'halt', reason: 'Precompile error' })
    expect((parityTrace(['trace'], code('STOP'), run) as Parity).trace[0]?.error).toBe('Precompile error')
  })

  test('when a failure is soft, then callTracer has SoftFailureReason’s text, and nothing halts', () => {
    const tooMuch = code([0, 0, 0, 0, 5, 0x22, 1000, 'CALL'])
    expect(callFrame(tooMuch, GAS).calls?.[0]?.error).toBe('insufficient balance for transfer')
    expect(callFrame(tooMuch, GAS).error).toBeUndefined()
    const spent = { ...GAS, installed: { nonce: 2n ** 64n - 1n } }
    expect(callFrame(code(0, 0, 0, 'CREATE'), spent).calls?.[0]?.error).toBe('execution failed')
  })
})
