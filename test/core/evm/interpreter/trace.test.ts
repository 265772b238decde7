import { describe, expect, test } from 'bun:test'
import { OPCODES } from '../../../../core/evm/interpreter/opcodes.ts'
import type { Tracer } from '../../../../core/evm/interpreter/tracer.ts'
import { address, CALLER, CONTRACT, code, returning, run } from '../harness.ts'

const names = (ops: readonly number[]): string[] => ops.map(op => OPCODES[op]?.name ?? 'unknown')

describe('given a tracer', () => {
  test('when instructions run, then it sees each with the state before it', () => {
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

  test('when code jumps or an instruction cannot run, then it sees that', () => {
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

  test('when calls begin and end or SELFDESTRUCT moves value, then it sees that', () => {
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
      `DELEGATECALL 1 ${me}>51 0 0`,
      '1 Stack underflow 0',
      `CALL 1 ${me}>4 0 32`,
      '1 success 32',
      expect.stringMatching(/^CREATE 1 222>\d+ 0 1$/),
      '1 success 0',
      '0 success 32',
    ])
  })

  test('when logs are written, then it sees each, even of failing frames', () => {
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

  test('when a frame begins, then it gets code, the caller’s gas, and whether it is a precompile', () => {
    const callee = code(1, 2, 'ADD')
    const seen: unknown[] = []
    run(
      code(
        [0, 0, 0, 0, 0, 0x22, 1000, 'CALL'],
        [0, 0, 0, 0, 4, 2000, 'STATICCALL'],
        [0, 0, 0, 0, 9, 0, 'STATICCALL'],
      ),
      {
        tracer: {
          onEnter: ({ depth, gas, callerGas, code: running, isPrecompile }) =>
            seen.push([depth, gas, callerGas, running.length, isPrecompile]),
        },
        others: [[address(0x22), { code: callee }]],
        message: { gasLimit: 121_000n },
      },
    )
    // 7 pushes and a cold account; then 6 pushes each and a warm precompile, of which the first takes 15.
    const first = 100_000 - 21 - 2600 - 1000
    const second = first + 1000 - 9 - 18 - 100 - 2000
    const third = second + 2000 - 15 - 18 - 100
    expect(seen).toEqual([
      [0, 100_000, 0, expect.any(Number), false],
      [1, 1000, first, callee.length, false],
      [1, 2000, second, 0, true],
      [1, 0, third, 0, true],
    ])
  })

  test('when calls and creations cannot begin, then it sees them begin and end', () => {
    const seen: unknown[] = []
    const tracer: Tracer = {
      onEnter: ({ kind, depth, gas }) => seen.push(`${kind} ${depth} ${gas > 0}`),
      onExit: ({ depth, halt, gasLeft }) => seen.push(`${depth} ${halt} ${gasLeft > 0}`),
    }
    const twice = [
      [0, 0, 0, 0, 'CREATE2'],
      [0, 0, 0, 0, 'CREATE2'],
    ]
    run(code([0, 0, 0, 0, 7, 0x22, 1000, 'CALL'], [0, 0, 7, 'CREATE'], ...twice), { tracer })
    expect(seen).toEqual([
      'CALL 0 true',
      'CALL 1 true',
      '1 insufficient balance for transfer true',
      'CREATE 1 true',
      '1 insufficient balance for transfer true',
      'CREATE2 1 true',
      '1 undefined true',
      'CREATE2 1 true',
      '1 Illegal state change false',
      '0 undefined true',
    ])
  })

  test('when it reads the beginning of an input, then the length does not matter', () => {
    const seen: unknown[] = []
    run(
      code(
        [0x0102, 0, 'MSTORE'],
        [0, 0, 32, 30, 0, 0x22, 1000, 'CALL'],
        [0, 0, 32, 30, 9, 0x22, 1000, 'CALL'],
        [2, 30, 0, 'CREATE'],
      ),
      {
        tracer: {
          onEnter: ({ inputSize, startOfInput, input }) =>
            seen.push([inputSize, startOfInput(2), input.length]),
        },
      },
    )
    const bytes = Uint8Array.of(1, 2)
    expect(seen.slice(1)).toEqual([
      [32, bytes, 32],
      [32, bytes, 32],
      [2, bytes, 2],
    ])
  })

  test('when gas is too little, then it gets by how much', () => {
    const ends: number[] = []
    const tracer: Tracer = { onExit: ({ gasAtEnd }) => ends.push(gasAtEnd) }
    run(code([0x22, 'SELFDESTRUCT']), { tracer, message: { gasLimit: 21_103n }, installed: { balance: 1n } })
    expect(ends).toEqual([103 - 3 - 5000])
    ends.length = 0
    run(code([1, 'SLOAD']), { tracer: { ...tracer, onStep: () => {} }, message: { gasLimit: 21_103n } })
    expect(ends).toEqual([103 - 3 - 2100])
  })

  test('when it reads, then the stack is from the top, and memory has zeros beyond its end', () => {
    const seen: unknown[] = []
    const tracer: Tracer = {
      onStep: ({ op, peek, stackSize, memorySize, readMemory }) => {
        if (op === 0x00) seen.push(stackSize, peek(0), peek(1), memorySize, readMemory(31, 3))
      },
    }
    run(code([7, 8], [9, 0, 'MSTORE'], 'STOP'), { tracer })
    expect(seen).toEqual([2, 8n, 7n, 32, Uint8Array.of(9, 0, 0)])
  })

  test('when 20,000 of the largest instructions run, then it sees each', () => {
    let count = 0
    const swaps = Uint8Array.from({ length: 20_002 }, (_, pc) => (pc < 2 ? 0x5f : 0x90))
    const { result } = run(swaps, { tracer: { onStep: () => count++ } })
    expect([result.success, count]).toEqual([true, 20_003])
  })

  test('when it is present, then the results are the same', () => {
    const looped = code(10, 'JUMPDEST', 1, 'SWAP1 SUB DUP1 DUP1 SSTORE DUP1', 2, 'JUMPI')
    const plain = run(looped)
    const traced = run(looped, { tracer: { onStep: () => {} } })
    expect(traced.result).toEqual(plain.result)
    expect(traced.world.changes(1n)).toEqual(plain.world.changes(1n))
  })
})
