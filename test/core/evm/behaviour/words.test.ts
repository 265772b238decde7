import { describe, expect, test } from 'bun:test'
import { concatBytes } from '../../../../core/bytes/bytes.ts'
import { bytesToBigint } from '../../../../core/bytes/integer.ts'
import { seededRandom } from '../../../support/random.ts'
import { assemble, push, RETURN_TOP } from './assembler.ts'
import { run, word } from './support.ts'

const WORD = (1n << 256n) - 1n
const EDGES = [0n, 1n, 2n, 31n, 32n, 255n, 256n, (1n << 53n) - 1n, 1n << 53n, 1n << 64n, 1n << 255n, WORD]

const signed = (value: bigint): bigint => BigInt.asIntN(256, value)
const unsigned = (value: bigint): bigint => BigInt.asUintN(256, value)
const flag = (is: boolean): bigint => (is ? 1n : 0n)

const power = (base: bigint, exponent: bigint): bigint => {
  let result = 1n
  for (let square = base, rest = exponent; rest > 0n; rest >>= 1n, square = unsigned(square * square))
    if ((rest & 1n) === 1n) result = unsigned(result * square)
  return result
}

type Compute = (a: bigint, b: bigint, c: bigint) => bigint

/** The Yellow Paper's appendix H, EIP-145 and EIP-7939, in integers. */
const OPERATIONS: readonly (readonly [name: string, inputs: number, compute: Compute])[] = [
  ['ADD', 2, (a, b) => unsigned(a + b)],
  ['MUL', 2, (a, b) => unsigned(a * b)],
  ['SUB', 2, (a, b) => unsigned(a - b)],
  ['DIV', 2, (a, b) => (b === 0n ? 0n : a / b)],
  ['SDIV', 2, (a, b) => (b === 0n ? 0n : unsigned(signed(a) / signed(b)))],
  ['MOD', 2, (a, b) => (b === 0n ? 0n : a % b)],
  ['SMOD', 2, (a, b) => (b === 0n ? 0n : unsigned(signed(a) % signed(b)))],
  ['ADDMOD', 3, (a, b, m) => (m === 0n ? 0n : (a + b) % m)],
  ['MULMOD', 3, (a, b, m) => (m === 0n ? 0n : (a * b) % m)],
  ['EXP', 2, power],
  ['SIGNEXTEND', 2, (a, b) => (a < 31n ? unsigned(BigInt.asIntN(8 * Number(a) + 8, b)) : b)],
  ['LT', 2, (a, b) => flag(a < b)],
  ['GT', 2, (a, b) => flag(a > b)],
  ['SLT', 2, (a, b) => flag(signed(a) < signed(b))],
  ['SGT', 2, (a, b) => flag(signed(a) > signed(b))],
  ['EQ', 2, (a, b) => flag(a === b)],
  ['ISZERO', 1, a => flag(a === 0n)],
  ['AND', 2, (a, b) => a & b],
  ['OR', 2, (a, b) => a | b],
  ['XOR', 2, (a, b) => a ^ b],
  ['NOT', 1, a => WORD - a],
  ['BYTE', 2, (a, b) => (a < 32n ? (b >> (8n * (31n - a))) & 255n : 0n)],
  ['SHL', 2, (a, b) => (a < 256n ? unsigned(b << a) : 0n)],
  ['SHR', 2, (a, b) => (a < 256n ? b >> a : 0n)],
  ['SAR', 2, (a, b) => unsigned(signed(b) >> (a < 256n ? a : 255n))],
  ['CLZ', 1, a => BigInt(a === 0n ? 256 : 256 - a.toString(2).length)],
]

const random = seededRandom(256)
const randomWord = (): bigint => {
  const value = bytesToBigint(random.bytes(1 + random.below(32)))
  switch (random.below(5)) {
    case 0:
      return EDGES[random.below(EDGES.length)] as bigint
    case 1:
      return unsigned(-value)
    case 2:
      return unsigned(value << BigInt(random.below(256)))
    default:
      return value
  }
}

/** Where operands come from: a word of any length in the code, always 32 bytes of it, or the data of the transaction. */
const ORIGINS = {
  'the shortest PUSH': (value: bigint) => push(value),
  PUSH32: (value: bigint) => Uint8Array.of(0x7f, ...word(value)),
  'call data': (_: bigint, at: number) => assemble(`${32 * at} CALLDATALOAD`),
} as const

const ROUNDS = 40

describe.each(Object.entries(ORIGINS))('given operands from %s', (_, pushed) => {
  test.each(OPERATIONS)('when %s runs, then it answers as integers do', (name, inputs, compute) => {
    const rounds: bigint[][] = []
    if (inputs === 2) for (const a of EDGES) for (const b of EDGES) rounds.push([a, b])
    else for (const a of EDGES) rounds.push([a, WORD, WORD - a].slice(0, inputs))
    for (let i = 0; i < ROUNDS; i++) rounds.push(Array.from({ length: inputs }, randomWord))

    const code = rounds.flatMap((operands, round) => [
      ...operands.map((value, i) => pushed(value, round * inputs + i)).reverse(),
      assemble(`${name} ${32 * round} MSTORE`),
    ])
    const { output } = run(concatBytes(...code, assemble(`${32 * rounds.length} 0 RETURN`)), {
      transaction: { data: concatBytes(...rounds.flat().map(word)) },
    })
    const answers = rounds.map((operands, i) => [
      ...operands,
      bytesToBigint(output.subarray(32 * i, 32 * i + 32)),
    ])
    const expected = rounds.map(operands => [
      ...operands,
      compute(...([...operands, 0n, 0n].slice(0, 3) as [bigint, bigint, bigint])),
    ])
    expect(answers).toEqual(expected)
  })
})

describe('given operands that are the same item', () => {
  test.each(OPERATIONS.filter(([, inputs]) => inputs === 2))(
    'when %s runs, then it answers as integers do',
    (name, _, compute) => {
      for (const value of EDGES)
        expect(run(`${value} DUP1 ${name} ${RETURN_TOP}`).value).toBe(compute(value, value, 0n))
    },
  )
})

test('given a long chain of operations, when it ends, then every bit is right', () => {
  const binaries = OPERATIONS.filter(([name, inputs]) => inputs === 2 && name !== 'EXP')
  for (let program = 0; program < 60; program++) {
    let value = randomWord()
    let code = `${value}`
    for (let step = 0; step < 60; step++) {
      const [name, , compute] = binaries[random.below(binaries.length)] as (typeof OPERATIONS)[number]
      const other = randomWord()
      // A step that would end in nothing tells no more; XOR goes on.
      const next = compute(other, value, 0n)
      const isLost = next < 2n
      value = isLost ? value ^ other : next
      code += ` ${other} ${isLost ? 'XOR' : name}`
    }
    expect(run(`${code} ${RETURN_TOP}`).value).toBe(value)
  }
})
