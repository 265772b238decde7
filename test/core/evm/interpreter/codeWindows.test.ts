import { describe, expect, test } from 'bun:test'
import { WINDOWED_CODE_BYTES } from '../../../../core/evm/interpreter/codeWindows.ts'
import { withRunLimit } from '../../../../core/evm/interpreter/runLimit.ts'
import { seededRandom } from '../../../support/random.ts'
import { address, code, type Run, run, type RunOptions, word } from '../harness.ts'

type Random = ReturnType<typeof seededRandom>

const JUMPDEST = 0x5b
const OTHER = 0x07e5

/** The same code, too long to be decoded as a whole: what it does is the same unless it asks for its size. */
const long = (short: Uint8Array): Uint8Array => {
  const bytes = new Uint8Array(WINDOWED_CODE_BYTES + 1)
  bytes.set(short)
  return bytes
}

const filler = (random: Random): Uint8Array => {
  const size = 1 + random.below(32)
  switch (random.below(8)) {
    case 0:
      return code('PC POP')
    case 1:
      return code('GAS POP')
    case 2:
      return code('DUP1 SWAP1 ADD')
    case 3:
      return code('JUMPDEST JUMPDEST')
    case 4:
      return code(1, 'ADD')
    case 5:
      return code(random.below(64), 'MSTORE', 7)
    default:
      // Data that looks like JUMPDESTs and other instructions.
      return Uint8Array.of(
        0x5f + size,
        ...random.bytes(size).map(byte => (byte < 90 ? JUMPDEST : byte)),
        0x50,
      )
  }
}

const push3 = (value: number): Uint8Array => Uint8Array.of(0x62, value >> 16, (value >> 8) & 255, value & 255)

/** A jump to the position, or to data there: a plain one, a conditional one, or one whose target is computed. */
const jump = (random: Random, position: number): Uint8Array => {
  switch (random.below(4)) {
    case 0:
      return code(push3(position), 'JUMP')
    case 1:
      return code('GAS', 1, 'AND', push3(position), 'JUMPI')
    case 2:
      return code(push3(position ^ 0x155), 0x155, 'XOR JUMP')
    default:
      return code('PC', 1, 'AND', push3(position ^ 0x155), 0x155, 'XOR JUMPI')
  }
}

/** More than a jump takes; it is filled up with JUMPDESTs. */
const JUMP_BYTES = 16

/** Code of several windows: pieces that jump to each other, sometimes to what is no JUMPDEST. */
const randomCode = (random: Random): Uint8Array => {
  const pieces = Array.from({ length: 40 }, () => {
    const fillers = Array.from({ length: 1 + random.below(60) }, () => filler(random))
    return code('JUMPDEST', ...fillers)
  })
  const starts: number[] = []
  let at = 1
  for (const piece of pieces) {
    starts.push(at)
    at += piece.length + JUMP_BYTES
  }
  return code(
    'GAS',
    ...pieces.map(piece => {
      const start = starts[random.below(starts.length)] as number
      const target = jump(random, random.below(12) === 0 ? start + random.below(40) : start)
      return code(piece, target, new Uint8Array(JUMP_BYTES - target.length).fill(JUMPDEST))
    }),
    'GAS',
    0,
    'MSTORE',
    [32, 0, 'RETURN'],
  )
}

const outcomeOf = ({ result }: Run) => result

const runWith = (bytes: Uint8Array, options: RunOptions): unknown => outcomeOf(run(bytes, options))

describe('given code that is too long to be decoded as a whole', () => {
  test('when it runs, then it does what the same code does that is short', () => {
    const random = seededRandom(12)
    const kinds = new Set<string>()
    for (let count = 0; count < 50; count++) {
      const short = randomCode(random)
      expect(short.length).toBeGreaterThan(6_000)
      const options = {
        message: { gasLimit: BigInt(30_000 + random.below(random.below(2) === 0 ? 4_000 : 400_000)) },
      }
      const expected = runWith(short, options)
      expect(runWith(long(short), options)).toEqual(expected)
      kinds.add(JSON.stringify((expected as { failure?: unknown }).failure ?? 'success'))
    }
    expect(kinds.size).toBeGreaterThan(2)
  })

  test('when it is watched, then its parts are decoded all the same', () => {
    const random = seededRandom(13)
    for (let count = 0; count < 20; count++) {
      const short = randomCode(random)
      let checks = 0
      const limit = {
        gas: 5_000,
        check: () => {
          checks++
        },
      }
      const options = { message: { gasLimit: 500_000n } }
      const found = withRunLimit(limit, () => runWith(long(short), options))
      expect(found).toEqual(runWith(short, options))
      expect(checks).toBeGreaterThan(0)
    }
  })

  test('when it is traced, then each step is that of the short code', () => {
    const random = seededRandom(14)
    for (let count = 0; count < 10; count++) {
      const short = randomCode(random)
      const stepsOf = (bytes: Uint8Array): readonly string[] => {
        const steps: string[] = []
        const onStep = ({ pc, op, gas }: { pc: number; op: number; gas: number }): void => {
          steps.push(`${pc} ${op} ${gas}`)
        }
        run(bytes, { message: { gasLimit: 60_000n }, tracer: { onStep } })
        return steps
      }
      const expected = stepsOf(short)
      expect(stepsOf(long(short)).join() === expected.join()).toBe(true)
      expect(expected.length).toBeGreaterThan(10)
    }
  })

  test('when it falls through its windows, then it stops at its end', () => {
    const bytes = new Uint8Array(WINDOWED_CODE_BYTES + 10).fill(JUMPDEST)
    // The data of the last PUSH is cut off by the end.
    bytes[bytes.length - 2] = 0x7f
    const { result } = run(bytes, { message: { gasLimit: 1_000_000n } })
    expect(result).toMatchObject({ success: true, gasUsed: 21_000n + BigInt(bytes.length) + 1n })
  })

  test('when a jump goes to data of a PUSH, or beyond the end, then it fails as in short code', () => {
    for (const target of [600_000, WINDOWED_CODE_BYTES + 5, 3_000, 5_001]) {
      const bytes = long(code(push3(target), 'JUMP'))
      bytes.fill(JUMPDEST, 3_000, 6_000)
      bytes[5_000] = 0x60
      const isGood = target === 3_000
      const { result } = run(bytes, { message: { gasLimit: 100_000n } })
      expect(result.success).toBe(isGood)
    }
  })

  test('when other code runs in between whose windows are more than are kept, then it goes on with its own', () => {
    const other = new Uint8Array(2 * WINDOWED_CODE_BYTES).fill(JUMPDEST)
    const calls = Array.from({ length: 3 }, () => code([0, 0, 0, 0, OTHER, 'GAS STATICCALL', 'ADD']))
    const bytes = long(code(7, ...calls, [0, 'MSTORE'], [32, 0, 'RETURN']))
    const { result } = run(bytes, { others: [[address(OTHER), { code: other }]] })
    expect(result.output).toEqual(word(7 + calls.length))
  })

  test('when it gives back a word, then it is the word', () => {
    const { result } = run(long(code([0xabcdefn, 0, 'MSTORE'], [32, 0, 'RETURN'])))
    expect(result.output).toEqual(word(0xabcdef))
  })
})
