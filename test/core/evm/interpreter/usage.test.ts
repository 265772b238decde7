import { expect, test } from 'bun:test'
import { type Usage, withRunLimit } from '../../../../core/evm/interpreter/runLimit.ts'
import { address, code, type Part, type RunOptions, run } from '../harness.ts'

const OTHER = 0x07e5
const MESSAGE: RunOptions = { message: { gasLimit: 10n ** 10n }, environment: { gasLimit: 10n ** 11n } }
const KILOBYTE = 1024

const rounds = (count: number, ...body: readonly Part[]): Uint8Array =>
  code(count, ['JUMPDEST', body, 1, 'SWAP1 SUB DUP1', count < 256 ? 2 : 3, 'JUMPI'])

/** The largest usage that a watch is told while the code runs. */
const largestUsage = (program: Uint8Array, options: RunOptions = {}): Usage => {
  let largest: Usage | undefined
  const check = (usage: Usage): void => {
    if (largest === undefined || usage.memoryBytes > largest.memoryBytes) largest = usage
  }
  withRunLimit({ gas: 1, check }, () => run(program, { ...MESSAGE, ...options }))
  if (largest === undefined) throw new Error('never checked')
  return largest
}

test.each([
  ['memory', code([1, 300 * KILOBYTE, 'MSTORE'], 'JUMPDEST'), {}, 300 * KILOBYTE],
  ['slots', rounds(3000, 'DUP1 DUP1 SSTORE'), {}, 3000 * 144],
  ['transient slots', rounds(3000, 'DUP1 DUP1 TSTORE'), {}, 3000 * 144],
  ['accounts', rounds(3000, 'DUP1 DUP1 MUL BALANCE POP'), {}, 3000 * 300],
  ['logs', rounds(1000, 'DUP1 DUP1', 100, 0, 'LOG2'), {}, 1000 * (100 + 2 * 32)],
  [
    'returned data',
    code([0, 0, 0, 0, OTHER, 'GAS STATICCALL POP'], 'JUMPDEST'),
    { others: [[address(OTHER), { code: code(300 * KILOBYTE, 0, 'RETURN') }]] },
    300 * KILOBYTE,
  ],
] as readonly (readonly [string, Uint8Array, RunOptions, number])[])(
  'given a run with much of %s, when its usage is computed, then they count',
  (_, program, options, leastBytes) => {
    expect(largestUsage(program, options).memoryBytes).toBeGreaterThanOrEqual(leastBytes)
  },
)
