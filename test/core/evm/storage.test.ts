import { describe, expect, test } from 'bun:test'
import type { ForkName } from '../../../core/genesis/fork.ts'
import { address, CONTRACT, code, returning, run, word, type Part } from './harness.ts'

/** SSTORE of each value in turn into slot 0. */
const storing = (values: readonly number[]): readonly Part[] => values.flatMap(value => [value, 0, 'SSTORE'])

/** Gas used and gas refunded by writing the values into a slot that held `original`. */
const price = (fork: ForkName, original: number, values: readonly number[]): [bigint, bigint] => {
  const { result, gas } = run(code(...storing(values)), {
    fork,
    installed: original === 0 ? {} : { storage: { 0: BigInt(original) } },
    // Much other work, so that no refund is cut.
    message: { data: new Uint8Array(60_000) },
  })
  const data = 60_000n * 4n
  return [gas - data - 6n * BigInt(values.length), result.gasUsedMax - result.gasUsed]
}

describe('given SSTORE', () => {
  test.each([
    ['petersburg', 0, [1], 20_000n, 0n],
    ['petersburg', 1, [2], 5000n, 0n],
    ['petersburg', 1, [0], 5000n, 15_000n],
    ['petersburg', 1, [1], 5000n, 0n],
    ['petersburg', 0, [1, 0], 25_000n, 15_000n],
    // EIP-1283's own table.
    ['constantinople', 0, [0, 0], 400n, 0n],
    ['constantinople', 0, [0, 1], 20_200n, 0n],
    ['constantinople', 0, [1, 0], 20_200n, 19_800n],
    ['constantinople', 0, [1, 2], 20_200n, 0n],
    ['constantinople', 0, [1, 1], 20_200n, 0n],
    ['constantinople', 1, [0, 0], 5200n, 15_000n],
    ['constantinople', 1, [0, 1], 5200n, 4800n],
    ['constantinople', 1, [0, 2], 5200n, 0n],
    ['constantinople', 1, [2, 0], 5200n, 15_000n],
    ['constantinople', 1, [2, 3], 5200n, 0n],
    ['constantinople', 1, [2, 1], 5200n, 4800n],
    ['constantinople', 1, [2, 2], 5200n, 0n],
    ['constantinople', 1, [1, 0], 5200n, 15_000n],
    ['constantinople', 1, [1, 2], 5200n, 0n],
    ['constantinople', 1, [1, 1], 400n, 0n],
    ['constantinople', 0, [1, 0, 1], 40_200n, 19_800n],
    ['constantinople', 1, [0, 1, 0], 10_200n, 19_800n],
    // EIP-2200's.
    ['istanbul', 0, [0, 0], 1600n, 0n],
    ['istanbul', 0, [1, 0], 20_800n, 19_200n],
    ['istanbul', 1, [0, 1], 5800n, 4200n],
    ['istanbul', 1, [2, 1], 5800n, 4200n],
    ['istanbul', 1, [1, 1], 1600n, 0n],
    ['istanbul', 1, [0, 1, 0], 10_800n, 19_200n],
    // EIP-2929: 2,100 more where the slot is cold.
    ['berlin', 0, [0, 0], 2300n, 0n],
    ['berlin', 0, [1, 0], 22_200n, 19_900n],
    ['berlin', 1, [0, 0], 5100n, 15_000n],
    ['berlin', 1, [0, 1], 5100n, 2800n],
    ['berlin', 1, [2, 1], 5100n, 2800n],
    ['berlin', 1, [0, 1, 0], 8000n, 17_800n],
    // EIP-3529: smaller refunds.
    ['london', 0, [1, 0], 22_200n, 19_900n],
    ['london', 1, [0, 0], 5100n, 4800n],
    ['london', 1, [0, 1], 5100n, 2800n],
    ['london', 1, [2, 0], 5100n, 4800n],
    ['london', 1, [0, 1, 0], 8000n, 7600n],
  ] as const)(
    'when it is %s and a slot goes %p, then %p, then gas is %p and refund %p',
    (fork, original, values, gas, refund) => {
      expect(price(fork, original, values)).toEqual([gas, refund])
    },
  )

  test('when there is a refund, then it is at most half of the used gas, a fifth since London', () => {
    const clear = (fork: ForkName) =>
      run(code(0, 0, 'SSTORE', 0, 1, 'SSTORE', 0, 2, 'SSTORE'), {
        fork,
        installed: { storage: { 0: 1n, 1: 1n, 2: 1n } },
      }).result
    const berlin = clear('berlin')
    expect(berlin.gasUsed).toBe(berlin.gasUsedMax - berlin.gasUsedMax / 2n)
    const london = clear('london')
    expect(london.gasUsed).toBe(london.gasUsedMax - london.gasUsedMax / 5n)
  })

  test('when no more than the stipend is left, then it halts (EIP-2200)', () => {
    const write = (fork: ForkName, gasLimit: bigint): boolean =>
      run(code(1, 0, 'SSTORE'), { fork, installed: { storage: { 0: 1n } }, message: { gasLimit } }).result
        .success
    expect(write('istanbul', 21_006n + 2300n)).toBe(false)
    expect(write('istanbul', 21_006n + 2301n)).toBe(true)
    expect(write('constantinople', 21_006n + 200n)).toBe(true)
  })

  test('when keys are neighbouring, colliding or huge, then the slots are separate', () => {
    const keys = Array.from({ length: 200 }, (_, i) => (BigInt(i) << BigInt(i)) + BigInt(i))
    const unique = [...new Set(keys)]
    const { world } = run(code(...unique.flatMap((key, i) => [i + 1, key, 'SSTORE'])), {
      message: { gasLimit: 100_000_000n },
    })
    unique.forEach((key, i) => {
      expect(world.storage(CONTRACT, word(key))).toEqual(word(i + 1))
    })
  })
})

describe('given transient storage (EIP-1153)', () => {
  test('when a contract writes it, then it lasts for the transaction, by contract, at 100 gas each way', () => {
    const { value, gas } = run(returning(7, 1, 'TSTORE', 1, 'TLOAD'))
    expect(value).toBe(7n)
    expect(gas).toBe(3n * 3n + 200n + 3n + 3n + 3n + 6n)
    const other = run(code(7, 1, 'TSTORE', 32, 0, 0, 0, 0x9999, 'GAS STATICCALL POP', 32, 0, 'RETURN'), {
      others: [[address(0x9999), { code: returning(1, 'TLOAD') }]],
    })
    expect(other.value).toBe(0n)
  })

  test('when the next transaction reads it, then it is empty', () => {
    const counting = returning(1, 'TLOAD', 1, 'ADD DUP1', 1, 'TSTORE')
    const first = run(counting)
    const second = run(counting, { world: first.world })
    expect([first.value, second.value]).toEqual([1n, 1n])
    expect(second.world.changes(1n).accounts.every(({ slots }) => slots.length === 0)).toBe(true)
  })

  test('when a call fails, then its writes are undone', () => {
    const { value } = run(
      code(
        7,
        1,
        'TSTORE',
        0,
        0,
        0,
        0,
        0x9999,
        'GAS DELEGATECALL POP',
        1,
        'TLOAD',
        0,
        'MSTORE',
        32,
        0,
        'RETURN',
      ),
      { others: [[address(0x9999), { code: code(8, 1, 'TSTORE', 0, 0, 'REVERT') }]] },
    )
    expect(value).toBe(7n)
  })
})
