import { describe, expect, test } from 'bun:test'
import { OPCODES } from '../../../core/evm/opcodes.ts'
import type { Tracer } from '../../../core/evm/tracer.ts'
import { address, CALLER, CONTRACT, code, returning, run } from './harness.ts'

const names = (ops: readonly number[]): string[] => ops.map(op => OPCODES[op]?.name ?? 'unknown')

describe('a tracer', () => {
  test('sees each instruction with what is there before it', () => {
    const steps: unknown[] = []
    const ops: number[] = []
    const tracer: Tracer = {
      onStep: step => {
        ops.push(step.op)
        steps.push([step.pc, step.gas, step.stack(), step.memory().length, step.depth])
      },
    }
    run(code(5, 1n << 200n, 'ADD', 0, 'MSTORE'), { tracer, message: { gasLimit: 121_000n } })
    expect(names(ops)).toEqual(['PUSH1', 'PUSH26', 'ADD', 'PUSH1', 'MSTORE', 'STOP'])
    expect(steps).toEqual([
      [0, 100_000, [], 0, 0],
      [2, 99_997, [5n], 0, 0],
      [29, 99_994, [5n, 1n << 200n], 0, 0],
      [30, 99_991, [5n + (1n << 200n)], 0, 0],
      [32, 99_988, [5n + (1n << 200n), 0n], 0, 0],
      [33, 99_982, [], 32, 0],
    ])
  })

  test('sees jumps, and the instruction that cannot run', () => {
    const ops: number[] = []
    const { result } = run(code(4, 'JUMP INVALID JUMPDEST', 1, 4, 'JUMPI'), {
      tracer: { onStep: ({ op }) => ops.push(op) },
      message: { gasLimit: 21_044n },
    })
    expect(names(ops)).toEqual([
      'PUSH1',
      'JUMP',
      'JUMPDEST',
      'PUSH1',
      'PUSH1',
      'JUMPI',
      'JUMPDEST',
      'PUSH1',
      'PUSH1',
      'JUMPI',
    ])
    expect(result.failure).toEqual({ kind: 'halt', reason: 'Out of gas' })
  })

  test('sees calls begin and end, and money left by SELFDESTRUCT', () => {
    const seen: string[] = []
    const tracer: Tracer = {
      onEnter: call =>
        seen.push(
          `${call.kind} ${call.depth} ${call.from[19]}>${call.to[19]} ${call.value} ${call.input.length}`,
        ),
      onExit: ({ depth, outcome, halt, output }) => seen.push(`${depth} ${halt ?? outcome} ${output.length}`),
      onSelfDestruct: (from, to, wei) => seen.push(`${from[19]} leaves ${wei} to ${to[19]}`),
    }
    const calls = [
      [0, 0, 64, 0, 3, 0x22, 100_000, 'CALL'],
      [0, 0, 0, 0, 0x33, 100_000, 'DELEGATECALL'],
      [32, 0, 32, 0, 0, 4, 100_000, 'CALL'],
      [1, 0, 0, 'CREATE'],
    ]
    const { result } = run(returning(...calls), {
      tracer,
      installed: { balance: 5n },
      others: [
        [address(0x22), { code: code(0x44, 'SELFDESTRUCT') }],
        [address(0x33), { code: code('ADD') }],
      ],
    })
    expect(result.success).toBe(true)
    const me = CONTRACT[19]
    expect(seen).toEqual([
      `CALL 0 ${CALLER[19]}>${me} 0 0`,
      `CALL 1 ${me}>34 3 64`,
      '34 leaves 3 to 68',
      '1 success 0',
      `DELEGATECALL 1 ${CALLER[19]}>51 0 0`,
      '1 Stack underflow 0',
      `CALL 1 ${me}>4 0 32`,
      '1 success 32',
      expect.stringMatching(/^CREATE 1 222>\d+ 0 1$/),
      '1 success 0',
      '0 success 32',
    ])
  })

  test('sees each log as it is written, those of failing frames too', () => {
    const seen: number[] = []
    const { result } = run(
      returning([0, 0, 0, 0, 0, 0x22, 100_000, 'CALL'], [0, 0, 'LOG0'], [7, 0, 0, 'LOG1']),
      {
        tracer: { onLog: ({ address, topics }) => seen.push(address[19] as number, topics.length) },
        others: [[address(0x22), { code: code(0, 0, 'LOG0', 0, 0, 'REVERT') }]],
      },
    )
    const me = CONTRACT[19] as number
    expect(seen).toEqual([0x22, 0, me, 0, me, 1])
    expect(result.logs).toHaveLength(2)
  })

  test('changes nothing', () => {
    const looped = code(10, 'JUMPDEST', 1, 'SWAP1 SUB DUP1 DUP1 SSTORE DUP1', 2, 'JUMPI')
    const plain = run(looped)
    const traced = run(looped, { tracer: { onStep: () => {} } })
    expect(traced.result).toEqual(plain.result)
    expect(traced.world.changes(1n)).toEqual(plain.world.changes(1n))
  })
})
