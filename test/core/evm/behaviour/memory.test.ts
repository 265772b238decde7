import { describe, expect, test } from 'bun:test'
import { EMPTY_BYTES } from '../../../../core/bytes/bytes.ts'
import { bytesToBigint } from '../../../../core/bytes/integer.ts'
import { keccak256 } from '../../../../core/crypto/crypto.ts'
import { seededRandom } from '../../../support/random.ts'
import { address, assemble, reasonOf, run, word } from './support.ts'

const WORD = (1n << 256n) - 1n
const OTHER = 0x07e5
const DATA = seededRandom(7).bytes(100)
/** Its output and its code are the same bytes. */
const OUTPUT = seededRandom(8).bytes(77)
const ECHO_INPUT = assemble('CALLDATASIZE 0 0 CALLDATACOPY CALLDATASIZE 0 RETURN')

/** `size` bytes of `source` from `offset` on, zeros where it has none. */
const padded = (source: Uint8Array, offset: bigint, size: number): Uint8Array => {
  const bytes = new Uint8Array(size)
  if (offset < BigInt(source.length)) bytes.set(source.subarray(Number(offset), Number(offset) + size))
  return bytes
}

const memoryGas = (words: bigint): bigint => 3n * words + (words * words) / 512n
const wordsOf = (bytes: number): bigint => BigInt(Math.ceil(bytes / 32))

/** Memory from a filled 96 bytes on, as the code leaves it. */
const SIZE = 256
const FILL = `${WORD} 0 MSTORE ${WORD} 32 MSTORE ${WORD} 64 MSTORE`
const filled = (): Uint8Array => {
  const memory = new Uint8Array(SIZE)
  memory.fill(0xff, 0, 96)
  return memory
}
const OFFSETS = [0n, 1n, 31n, 32n, 76n, 77n, 99n, 100n, 101n, 1n << 32n, 1n << 64n, WORD]
const SIZES = [0, 1, 31, 32, 33, 77, 100, 150]

describe('given a copy with a range beyond its source', () => {
  const check = (
    name: string,
    source: (code: Uint8Array) => Uint8Array,
    before = '',
    operand = '',
    offsets: readonly bigint[] = OFFSETS,
  ): void => {
    for (const offset of offsets)
      for (const size of SIZES) {
        const to = (size * 7 + Number(offset % 13n)) % 90
        const text = `${before} ${FILL} ${size} ${offset} ${to} ${operand} ${name} ${SIZE} 0 RETURN`
        const expected = filled()
        expected.set(padded(source(assemble(text)), offset, size), to)
        const { output } = run(text, {
          transaction: { data: DATA },
          others: [[address(OTHER), { code: OUTPUT }]],
        })
        expect([name, offset, size, output]).toEqual([name, offset, size, expected])
      }
  }

  test('when CALLDATACOPY runs, then it writes bytes and zeros, and leaves the rest', () => {
    check('CALLDATACOPY', () => DATA)
  })

  test('when CODECOPY runs, then it writes bytes and zeros, and leaves the rest', () => {
    check('CODECOPY', code => code)
  })

  test('when EXTCODECOPY runs, then it writes bytes and zeros, and leaves the rest', () => {
    check('EXTCODECOPY', () => OUTPUT, '', `${OTHER}`)
    check('EXTCODECOPY', () => EMPTY_BYTES, '', '0x9999')
  })

  test('when MCOPY runs, then overlapping ranges copy as if through a buffer (EIP-5656)', () => {
    const random = seededRandom(5656)
    for (let i = 0; i < 200; i++) {
      const [to, from, size] = [random.below(150), random.below(150), random.below(100)]
      const memory = new Uint8Array(SIZE)
      memory.set(padded(DATA, 0n, 100))
      memory.copyWithin(to, from, from + size)
      const { output } = run(`100 0 0 CALLDATACOPY ${size} ${from} ${to} MCOPY ${SIZE} 0 RETURN`, {
        transaction: { data: DATA },
      })
      expect([to, from, size, output]).toEqual([to, from, size, memory])
    }
  })
})

describe('given RETURNDATACOPY (EIP-211)', () => {
  const CALL = `77 0 0 CALLDATACOPY 0 0 77 0 0 ${OTHER} GAS CALL POP`
  const copy = (size: bigint | number, offset: bigint | number) =>
    run(`${CALL} ${size} ${offset} 512 RETURNDATACOPY 77 512 RETURN`, {
      transaction: { data: DATA },
      others: [[address(OTHER), { code: ECHO_INPUT }]],
    })

  test('when the range exists, then it is copied', () => {
    for (const [size, offset] of [
      [77, 0],
      [76, 1],
      [1, 76],
      [0, 77],
      [0, 0],
    ] as const)
      expect(copy(size, offset).output).toEqual(padded(DATA.subarray(offset, offset + size), 0n, 77))
  })

  test('when the range exceeds the return data, even an empty one, then it halts', () => {
    for (const [size, offset] of [
      [78, 0],
      [1, 77],
      [0, 78],
      [77, 1],
      [0, WORD],
      [WORD, 0],
      [2, WORD],
    ] as const)
      expect([size, offset, reasonOf(copy(size, offset)) ?? 'ran']).toEqual([
        size,
        offset,
        expect.stringMatching(/Out of bounds|Out of gas/),
      ])
    expect(reasonOf(copy(1, 77))).toBe('Out of bounds')
    expect(reasonOf(copy(2, WORD))).toBe('Out of bounds')
  })
})

describe('given the gas of memory', () => {
  const PUSHES = 9n

  test.each([
    ['CALLDATACOPY', 3n],
    ['CODECOPY', 3n],
    ['MCOPY', 3n],
  ] as const)('when %s runs, then it costs %p, three a word copied, and the expansion', (name, gas) => {
    for (const [to, size] of [
      [0, 0],
      [0, 1],
      [0, 32],
      [31, 2],
      [100, 333],
      [5000, 33],
    ] as const) {
      const reached = size === 0 ? 0n : wordsOf(to + size)
      expect(run(`${size} 0 ${to} ${name}`).gas).toBe(PUSHES + gas + 3n * wordsOf(size) + memoryGas(reached))
    }
  })

  test('when MCOPY runs, then the farther end of both ranges counts', () => {
    expect(run('1 1000 0 MCOPY').gas).toBe(PUSHES + 6n + memoryGas(32n))
    expect(run('1 0 1000 MCOPY').gas).toBe(PUSHES + 6n + memoryGas(32n))
  })

  test('when KECCAK256 and LOG run, then they cost 30 and 6 a word, 375 and as much a topic and 8 a byte', () => {
    expect(run('33 0 KECCAK256').gas).toBe(6n + 30n + 12n + memoryGas(2n))
    for (let topics = 0; topics <= 4; topics++)
      expect(run(`${'0 '.repeat(topics)} 33 0 LOG${topics}`).gas).toBe(
        3n * BigInt(topics + 2) + 375n * BigInt(topics + 1) + 8n * 33n + memoryGas(2n),
      )
  })

  test('when memory exists already, then it costs nothing', () => {
    expect(run('0 1000 MSTORE 0 500 MSTORE 1000 MLOAD POP').gas).toBe(15n + 9n + 2n + memoryGas(33n))
  })

  test('when a call returns, then its expansion does not count for the caller', () => {
    const { value, gas } = run(`0 0 0 0 0 ${OTHER} GAS CALL POP MSIZE 0 MSTORE 32 0 RETURN`, {
      others: [[address(OTHER), { code: assemble('0 3200 MSTORE') }]],
    })
    expect(value).toBe(0n)
    expect(gas).toBe(15n + 3n + 2n + 2600n + 6n + 3n + memoryGas(101n) + 2n + 2n + 3n + 3n + 3n + 6n)
  })
})

test('given memory of an earlier call, when a new frame reads, then it sees zeros', () => {
  const dirty = assemble(`${WORD} 0 MSTORE ${WORD} 32 MSTORE ${WORD} 4096 MSTORE`)
  const { output } = run(`0 0 0 0 0 ${OTHER} GAS CALL POP 64 0 64 0 0 0x7777 GAS CALL POP 128 0 RETURN`, {
    others: [
      [address(OTHER), { code: dirty }],
      [address(0x7777), { code: assemble('96 4096 MLOAD MSTORE 64 64 RETURN') }],
    ],
  })
  expect(output).toEqual(new Uint8Array(128))
})

test('given a call with an output range, when the callee returns, then no more is written than either has', () => {
  for (const [room, size] of [
    [10, 77],
    [77, 10],
    [40, 40],
    [0, 77],
  ] as const) {
    const { output } = run(
      `${FILL} ${size} 0 128 CALLDATACOPY ${room} 8 ${size} 128 0 ${OTHER} GAS CALL POP 96 0 RETURN`,
      { transaction: { data: DATA }, others: [[address(OTHER), { code: ECHO_INPUT }]] },
    )
    const expected = filled().subarray(0, 96).slice()
    expected.set(DATA.subarray(0, Math.min(room, size)), 8)
    expect([room, size, output]).toEqual([room, size, expected])
  }
})

test('given KECCAK256 and LOG, when they read past the written memory, then they read zeros', () => {
  const { value, logs } = run('0xabcd 0 MSTORE 9 8 7 6 40 20 LOG4 40 20 KECCAK256 0 MSTORE 32 0 RETURN')
  const hashed = new Uint8Array(40)
  hashed.set([0xab, 0xcd], 10)
  expect(value).toBe(bytesToBigint(keccak256(hashed)))
  expect(logs.map(({ topics, data }) => ({ topics, data }))).toEqual([
    { topics: [word(6), word(7), word(8), word(9)], data: hashed },
  ])
})
