import { describe, expect, test } from 'bun:test'
import { withRunLimit } from '../../../../core/evm/interpreter/runLimit.ts'
import { address, code, type Part, type RunOptions, run } from '../harness.ts'

const OTHER = address(0x07e5)
const GAS = 5_000_000n

/** Jumps back to its beginning for as long as there is gas. */
const ENDLESS = code('JUMPDEST', 0, 'JUMP')

/** Counts down from `rounds`, with `body` in each round, and returns the gas that is left. */
const rounds = (count: number, ...body: readonly Part[]): Uint8Array =>
  code(
    count,
    // At 3, behind a PUSH of two bytes.
    ['JUMPDEST', body, 1, 'SWAP1 SUB DUP1', 3, 'JUMPI'],
    ['GAS', 0, 'MSTORE', 32, 0, 'RETURN'],
  )

const CALL_OTHER: readonly Part[] = [0, 0, 0, 0, 0, 0x07e5, 'GAS', 'CALL', 'POP']

class Ended extends Error {}

/** Runs under a watch that ends the run at the look of that number, if there is one. */
const watched = (program: Uint8Array, gas: number, options: RunOptions = {}, endAt = Infinity) => {
  let looks = 0
  const check = (): void => {
    if (++looks >= endAt) throw new Ended()
  }
  try {
    const found = withRunLimit({ gas, check }, () => run(program, { message: { gasLimit: GAS }, ...options }))
    return { found, looks }
  } catch (error) {
    if (!(error instanceof Ended)) throw error
    return { found: undefined, looks }
  }
}

const others = (called: Uint8Array): Pick<RunOptions, 'others'> => ({ others: [[OTHER, { code: called }]] })

describe('given a run with a limit', () => {
  test.each([
    ['a loop', rounds(2000), {}],
    ['a loop of calls', rounds(300, CALL_OTHER), others(code('STOP'))],
    ['calls that fail', rounds(300, CALL_OTHER), others(code('INVALID'))],
    ['calls of a precompile', rounds(300, 0, 0, 0, 0, 4, 'GAS', 'STATICCALL', 'POP'), {}],
    ['a loop without an end', ENDLESS, {}],
    [
      'more gas than a double counts',
      rounds(300, CALL_OTHER),
      { ...others(code('STOP')), message: { gasLimit: 2n ** 60n } },
    ],
  ] as const)('when %s runs, then the result equals that of one without', (_, program, options) => {
    const alone = run(program, { message: { gasLimit: GAS }, ...options })
    for (const gas of [1, 1000, 100_000_000]) {
      const { found } = watched(program, gas, options)
      expect([found?.result, found?.gas]).toEqual([alone.result, alone.gas])
    }
  })

  test('when its gas interval is used in any frame, then it is checked', () => {
    const inCallee = others(ENDLESS)
    const { looks } = watched(code(CALL_OTHER), 100_000, inCallee)
    expect(looks).toBeGreaterThan(45)
    expect(looks).toBeLessThan(51)
    const { looks: acrossFrames } = watched(rounds(2000, CALL_OTHER), 10_000, others(code('STOP')))
    expect(acrossFrames).toBeGreaterThan(20)
  })

  test('when a message begins, then the interval continues', () => {
    let looks = 0
    const check = (): void => void looks++
    withRunLimit({ gas: 100_000, check }, () => {
      for (let i = 0; i < 40; i++) run(rounds(300))
    })
    expect(looks).toBeGreaterThan(0)
  })

  test('when the check throws, then the run ends, whatever the gas, and the next one is unaffected', () => {
    for (const gasLimit of [GAS, 2n ** 60n, 2n ** 64n - 1n]) {
      const options = { ...others(ENDLESS), message: { gasLimit } }
      expect(watched(code(CALL_OTHER), 50_000, options, 3)).toEqual({ found: undefined, looks: 3 })
    }
    expect(run(rounds(2000)).result.success).toBe(true)
    expect(watched(rounds(260), 50_000, {}, 1).looks).toBe(0)
  })

  test('when an expensive precompile or large memory comes, then it is checked before', () => {
    // 64 MB to the identity precompile would cost more than there is; half a MB of hashing does not.
    const hashing = code(0, 0, 500_000, 0, 2, 'GAS', 'STATICCALL')
    expect(watched(hashing, 300_000, {}, 1).found).toBeUndefined()
    expect(watched(code(0, 600_000, 'MSTORE'), 100_000_000, {}, 1).found).toBeUndefined()
    expect(watched(code(0, 6000, 'MSTORE'), 100_000_000, {}, 1).looks).toBe(0)
  })
})
