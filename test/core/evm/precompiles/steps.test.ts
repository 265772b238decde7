import { describe, expect, test } from 'bun:test'
import { concatBytes } from '../../../../core/bytes/bytes.ts'
import { bigintToFixedBytes, bytesToBigint } from '../../../../core/bytes/integer.ts'
import { blake2fWith } from '../../../../core/evm/precompiles/blake2/blake2f.ts'
import { javascriptBlake2Rounds } from '../../../../core/evm/precompiles/blake2/blake2Rounds.ts'
import { powerModulo } from '../../../../core/evm/precompiles/modexp/powerModulo.ts'
import type { Precompile } from '../../../../core/evm/precompiles/precompile.ts'
import { precompileAt } from '../../../../core/evm/precompiles/precompiles.ts'
import { seededRandom } from '../../../support/random.ts'
import { address, word } from '../harness.ts'

const random = seededRandom(198)
const { bytes } = random

const precompile = (number: number): Precompile => {
  const found = precompileAt('prague', address(number))
  if (found === undefined) throw new RangeError(`no precompile ${number}`)
  return found
}

/** The output in steps, and how many there were; `between` is what happens after each. */
const stepped = (
  { steps }: Precompile,
  input: Uint8Array,
  between: () => void = () => undefined,
): { output: Uint8Array | undefined; count: number } => {
  if (steps === undefined) throw new RangeError('it has no steps')
  const running = steps(input)
  for (let count = 0; ; count++) {
    const step = running.next()
    if (step.done === true) return { output: step.value, count }
    between()
  }
}

const modexpInput = (base: Uint8Array, exponent: Uint8Array, modulus: Uint8Array): Uint8Array =>
  concatBytes(word(base.length), word(exponent.length), word(modulus.length), base, exponent, modulus)

describe('given a modular exponentiation', () => {
  test.each([
    [10, 300, 40],
    [3, 20_000, 2],
    [0, 3, 5],
    [1024, 20, 1024],
    [1500, 3, 1500],
    [5000, 3, 1025],
    [1025, 4, 3000],
    [40, 5, 4097],
    [4000, 0, 2000],
    [4000, 2, 1],
  ])(
    'when its operands have %i, %i and %i bytes, then its steps give what big integers do',
    (base, exponent, modulus) => {
      for (const form of [(x: Uint8Array) => x, (x: Uint8Array) => x.fill(0, 0, x.length >> 1)]) {
        const parts = [bytes(base), form(bytes(exponent)), form(bytes(modulus))] as const
        const [, , divisor] = parts
        const expected =
          bytesToBigint(divisor) === 0n
            ? new Uint8Array(modulus)
            : bigintToFixedBytes(
                powerModulo(bytesToBigint(parts[0]), parts[1], bytesToBigint(divisor)),
                modulus,
              )
        expect(stepped(precompile(5), modexpInput(...parts)).output).toEqual(expected)
        expect(precompile(5).run(modexpInput(...parts))).toEqual(expected)
      }
    },
  )

  test('when estimates are too large, then the quotient is corrected', () => {
    const modulus = concatBytes(Uint8Array.of(0x80), new Uint8Array(1023), new Uint8Array(1024).fill(0xff))
    const base = concatBytes(new Uint8Array(1024).fill(0xff), new Uint8Array(2048))
    const expected = bigintToFixedBytes(bytesToBigint(base) ** 3n % bytesToBigint(modulus), modulus.length)
    expect(stepped(precompile(5), modexpInput(base, Uint8Array.of(3), modulus)).output).toEqual(expected)
  })

  test('when no integer of the runtime holds the operands, then it runs in steps', () => {
    const size = 200_000
    const base = concatBytes(new Uint8Array(size - 1), Uint8Array.of(2))
    const modulus = concatBytes(Uint8Array.of(1), new Uint8Array(size - 1))
    const { output, count } = stepped(precompile(5), modexpInput(base, Uint8Array.of(11), modulus))
    expect(bytesToBigint(output?.subarray(-32) as Uint8Array)).toBe(2048n)
    expect(count).toBeGreaterThan(1)
  })

  test('when a range lies beyond the input, then zeros are read', () => {
    const input = concatBytes(word(2000), word(1), word(2000), bytes(1000))
    expect(stepped(precompile(5), input).output).toEqual(new Uint8Array(2000))
  })
})

describe('given a precompile over long input', () => {
  test.each([2, 3, 4])('when precompile %i hashes or copies it, then its steps give the same', number => {
    const input = bytes(300_000)
    expect(stepped(precompile(number), input).output).toEqual(precompile(number).run(input))
  })

  test('when BLAKE2 mixes many rounds, then others may mix between its steps', () => {
    const input = concatBytes(bigintToFixedBytes(70_003n, 4), bytes(208), Uint8Array.of(1))
    const other = concatBytes(bigintToFixedBytes(12n, 4), bytes(208), Uint8Array.of(0))
    const blake2 = precompile(9)
    const { output, count } = stepped(blake2, input, () => blake2.run(other))
    expect(count).toBe(3)
    expect(output).toEqual(blake2fWith(input, javascriptBlake2Rounds))
  })
})
