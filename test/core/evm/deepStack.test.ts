import { describe, expect, test } from 'bun:test'
import { SHARED_STACK_ITEMS } from '../../../core/genesis/evmLimits.ts'
import { code, environmentOf, type Part, run } from './harness.ts'

/** A frame for each depth up to the limit, each with so many items. */
const FRAMES = 1025n
const ITEMS = 900

/** Some are small numbers, some need all their limbs. */
const items = Array.from({ length: ITEMS }, (_, k) => (k % 3 === 0 ? BigInt(k) << 200n : BigInt(k + 1)))
const sum = items.reduce((a, b) => a + b, 0n)

const callOf = (address: number): Part => [0, 0, 0, 0, 0, address, 'GAS CALL POP']

/** Calls itself with its items on the stack, as deep as it goes, then adds its items to what the call gave. */
const nested = (before: Part, end: string): Uint8Array =>
  code(
    items,
    before,
    [32, 0, 0, 0, 0, 'ADDRESS GAS CALL POP'],
    [0, 'MLOAD'],
    Array.from({ length: ITEMS }, () => 'ADD'),
    [0, 'MSTORE', 32, 0, end],
  )

const valueOf = (installed: Uint8Array, stackItemsMax = 1024): bigint => {
  const environment = environmentOf('prague')
  return run(installed, {
    message: { gasLimit: 2n ** 50n },
    environment: { rules: { ...environment.rules, stackItemsMax } },
  }).value
}

describe('given frames whose items exceed the shared stack', () => {
  test.each([
    ['return', [], 'RETURN'],
    ['revert', [], 'REVERT'],
    ['call a precompile and an account without code first', [callOf(4), callOf(0xabcdef)], 'RETURN'],
    ['create a contract first', [0, 0, 0, 'CREATE POP'], 'RETURN'],
  ] as const)('when they %s, then all items are found again', (_, before, end) => {
    expect(FRAMES * BigInt(ITEMS)).toBeGreaterThan(BigInt(SHARED_STACK_ITEMS))
    expect(valueOf(nested(before, end))).toBe(BigInt.asUintN(256, FRAMES * sum))
  })

  test('when each has the maximum of the chain, then they fit up to the total limit', () => {
    const filled = (count: number): Uint8Array =>
      code(
        1,
        Array.from({ length: count - 1 }, () => 'DUP1'),
        Array.from({ length: count - 1 }, () => 'ADD'),
        [0, 'MSTORE', 32, 0, 'RETURN'],
      )
    expect(valueOf(filled(10_000), 10_000)).toBe(10_000n)
    expect(valueOf(filled(10_001), 10_000)).toBe(0n)
    expect(valueOf(filled(SHARED_STACK_ITEMS), SHARED_STACK_ITEMS)).toBe(BigInt(SHARED_STACK_ITEMS))
  })

  test('when a message ends among them, then they are discarded', () => {
    const tooFew = run(nested([], 'RETURN'), { message: { gasLimit: 2n ** 27n } })
    expect(tooFew.value).not.toBe(BigInt.asUintN(256, FRAMES * sum))
    expect(valueOf(nested([], 'RETURN'))).toBe(BigInt.asUintN(256, FRAMES * sum))
  })
})
