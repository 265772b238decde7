import { describe, expect, test } from 'bun:test'
import { toHex } from '../../../../core/bytes/hex.ts'
import { address, code, type Part, word } from '../../../core/evm/harness.ts'
import { debugTrace, hex } from './traceCode.ts'

type Frame = {
  readonly type: string
  readonly to?: string
  readonly accessedSlots: Readonly<Record<'reads' | 'writes' | 'transientReads' | 'transientWrites', object>>
  readonly extCodeAccessInfo: readonly string[]
  readonly usedOpcodes: Readonly<Record<string, number>>
  readonly contractSize: Readonly<Record<string, { readonly contractSize: number; readonly opcode: number }>>
  readonly outOfGas: boolean
  readonly keccak?: readonly string[]
  readonly calls?: readonly Frame[]
  readonly logs?: readonly object[]
}

const OTHER = address(0x22)
const slot = (value: number): string => toHex(word(value))

const trace = (
  parts: readonly Part[],
  options: Parameters<typeof debugTrace>[2] = {},
  config: object = {},
): Frame =>
  debugTrace({ tracer: 'erc7562Tracer', tracerConfig: config }, code(...parts), {
    message: { gasLimit: 521_000n },
    ...options,
  }) as Frame

describe('given erc7562Tracer', () => {
  test('when code reads and writes slots, then each has its value before or its number of accesses', () => {
    const { accessedSlots } = trace(
      [
        [1, 'SLOAD'],
        [9, 2, 'SSTORE'],
        [2, 'SLOAD'],
        [8, 2, 'SSTORE'],
        [3, 'TLOAD'],
        [7, 4, 'TSTORE'],
      ],
      { installed: { storage: { 1: 5n } } },
    )
    expect(accessedSlots).toMatchObject({
      writes: { [slot(2)]: 2 },
      transientReads: { [slot(3)]: 1 },
      transientWrites: { [slot(4)]: 1 },
    })
    // A slot that was written first is not read from before the transaction.
    expect(accessedSlots.reads).toEqual({ [slot(1)]: [slot(5)] })
  })

  test('when opcodes run, then those that matter are counted, and GAS only where no call follows', () => {
    const { usedOpcodes } = trace([
      ['TIMESTAMP', 1, 'ADD', 'POP'],
      ['GAS', 'POP'],
    ])
    expect(usedOpcodes).toEqual({ '0x42': 1, '0x5a': 1, '0x0': 1 })
    const call = trace([[0, 0, 0, 0, 0, 0x22, 'GAS', 'CALL']])
    expect(call.usedOpcodes).toEqual({ '0xf1': 1, '0x0': 1 })
    expect(trace([[1, 'POP']], {}, { ignoredOpcodes: ['0x60', '0x0'] }).usedOpcodes).toEqual({ '0x50': 1 })
  })

  test('when accounts are called or inspected, then their code sizes are there, and inspections other than a check for code', () => {
    const { contractSize, extCodeAccessInfo } = trace(
      [
        [0x22, 'EXTCODESIZE', 'ISZERO', 'POP'],
        [0x33, 'EXTCODEHASH', 'POP'],
        [0, 0, 0, 0, 0, 0x44, 50_000, 'CALL'],
      ],
      { others: [[OTHER, { code: code('STOP') }]] },
    )
    expect(contractSize).toEqual({
      [hex(OTHER)]: { contractSize: 1, opcode: 0x3b },
      [hex(address(0x33))]: { contractSize: 0, opcode: 0x3f },
      [hex(address(0x44))]: { contractSize: 0, opcode: 0xf1 },
    })
    expect(extCodeAccessInfo).toEqual([hex(address(0x33))])
  })

  test('when inner calls hash, log, run out of gas and self-destruct, then each is a frame, and the root has the preimages', () => {
    const found = trace(
      [
        [5, 0, 'MSTORE', 32, 0, 'KECCAK256', 'POP'],
        [0, 0, 0, 0, 0, 0x22, 100_000, 'CALL'],
        [0, 0, 0, 0, 0, 0x33, 3, 'CALL'],
        [0x55, 'SELFDESTRUCT'],
      ],
      {
        others: [
          [OTHER, { code: code([0, 0, 'LOG0', 0, 0, 'KECCAK256', 'POP']) }],
          [address(0x33), { code: code([1, 'SLOAD']) }],
        ],
      },
      { withLog: true },
    )
    expect(found.keccak).toEqual(['0x', slot(5)])
    expect(found.calls?.map(({ type, outOfGas, logs }) => [type, outOfGas, logs?.length])).toEqual([
      ['CALL', false, 1],
      ['CALL', true, undefined],
      ['SELFDESTRUCT', false, undefined],
    ])
    expect(found.calls?.[0]?.keccak).toBeUndefined()
    expect(found.calls?.[0]?.usedOpcodes).toMatchObject({ '0xa0': 1, '0x20': 1 })
    expect(found.outOfGas).toBe(false)
  })
})
