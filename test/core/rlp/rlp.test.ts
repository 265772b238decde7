import { describe, expect, test } from 'bun:test'
import { fromHex, toBareHex } from '../../../core/bytes/hex.ts'
import {
  decodeRlp,
  encodeRlp,
  RLP_DEPTH_MAX,
  RlpError,
  type RlpInput,
  rlpBytes,
  rlpList,
  rlpScalar,
} from '../../../core/rlp/rlp.ts'
import { seededRandom } from '../../support/random.ts'

const hex = (value: RlpInput): string => toBareHex(encodeRlp(value))
const decoding = (text: string) => () => decodeRlp(fromHex(text))
const nested = (depth: number): Uint8Array => {
  let item: RlpInput = []
  for (let i = 0; i < depth; i++) item = [item]
  return encodeRlp(item)
}

describe('given encoding', () => {
  test('when a byte is below 0x80, then it is its own encoding, and other bytes get a length', () => {
    expect(hex(Uint8Array.of(0))).toBe('00')
    expect(hex(Uint8Array.of(0x7f))).toBe('7f')
    expect(hex(Uint8Array.of(0x80))).toBe('8180')
    expect(hex(new Uint8Array(0))).toBe('80')
  })

  test('when a string reaches 56 bytes, then its form changes', () => {
    expect(hex(new Uint8Array(55)).slice(0, 4)).toBe('b700')
    expect(hex(new Uint8Array(56)).slice(0, 6)).toBe('b83800')
    expect(hex(new Uint8Array(256)).slice(0, 8)).toBe('b9010000')
    expect(hex(new Uint8Array(65_536)).slice(0, 8)).toBe('ba010000')
  })

  test('when a list’s content reaches 56 bytes, then its form changes', () => {
    expect(hex([])).toBe('c0')
    expect(hex([new Uint8Array(54)]).slice(0, 4)).toBe('f7b6')
    expect(hex([new Uint8Array(55)]).slice(0, 6)).toBe('f838b7')
  })

  test('when it is an integer, then it is a minimal big-endian scalar, zero the empty string', () => {
    expect(hex(0)).toBe('80')
    expect(hex(0n)).toBe('80')
    expect(hex(127)).toBe('7f')
    expect(hex(128)).toBe('8180')
    expect(hex(0x0100)).toBe('820100')
    expect(hex(Number.MAX_SAFE_INTEGER)).toBe('871fffffffffffff')
    expect(hex(2n ** 64n)).toBe('89010000000000000000')
    expect(hex(2n ** 256n - 1n)).toBe(`a0${'ff'.repeat(32)}`)
  })

  test('when a number is negative, fractional or unsafe, then it is refused', () => {
    for (const value of [-1, -1n, 0.5, Number.NaN, Infinity, 2 ** 53])
      expect(() => encodeRlp(value)).toThrow()
  })
})

describe('given decoding', () => {
  test('when bytes were encoded by this module, then the result is the input, as views', () => {
    const random = seededRandom(5)
    const value = (depth: number): RlpInput => {
      if (depth === 0 || random.below(3) === 0) return random.bytes(random.below(80))
      return Array.from({ length: random.below(6) }, () => value(depth - 1))
    }
    for (let i = 0; i < 500; i++) {
      const original = value(4)
      const bytes = encodeRlp(original)
      expect(decodeRlp(bytes) as RlpInput).toEqual(original)
      expect(encodeRlp(decodeRlp(bytes))).toEqual(bytes)
    }
    const bytes = encodeRlp([fromHex('0102030405')])
    const [item] = rlpList(decodeRlp(bytes), 'it')
    expect((item as Uint8Array).buffer).toBe(bytes.buffer)
  })

  test('when the form is not canonical, then it is refused', () => {
    for (const text of [
      '8100',
      '817f', // a single byte with a length
      'b800',
      'b837',
      `b837${'00'.repeat(55)}`, // the long form for a short string
      `b90038${'00'.repeat(56)}`, // a length with a leading zero
      `f837${'00'.repeat(55)}`,
      `f90038${'00'.repeat(56)}`,
    ])
      expect(decoding(text)).toThrow(RlpError)
  })

  test('when bytes follow, are cut off, or are missing, then they are refused', () => {
    for (const text of [
      '',
      '0000',
      'c0c0',
      '8080',
      '81',
      '820000ff',
      'b8',
      'b838',
      'c1',
      'c201',
      'f8',
      'f838c0',
    ])
      expect(decoding(text)).toThrow(RlpError)
  })

  test('when an item reaches past its list, then it is refused', () => {
    expect(decoding('c28201')).toThrow(RlpError)
    expect(decoding('c3c20101c0')).toThrow(RlpError)
    expect(decoding('c4c301010101')).toThrow(RlpError)
  })

  test('when a length exceeds all memory, then it is refused', () => {
    for (const text of ['bfffffffffffffffff', 'ffffffffffffffffff', 'bf0f000000000000021111', 'bb80000000'])
      expect(decoding(text)).toThrow(RlpError)
  })

  test('when lists nest, then the limit is exact', () => {
    expect(() => decodeRlp(nested(RLP_DEPTH_MAX - 1))).not.toThrow()
    expect(() => decodeRlp(nested(RLP_DEPTH_MAX))).toThrow(RlpError)
  })

  test('when a megabyte of opening brackets comes, then it is refused without recursion', () => {
    expect(() => decodeRlp(new Uint8Array(1_000_000).fill(0xc1))).toThrow(RlpError)
    expect(() => decodeRlp(new Uint8Array(1_000_000).fill(0xf8))).toThrow(RlpError)
  })

  test('when any bit is flipped, then nothing decodes that encodes differently', () => {
    const bytes = encodeRlp([1n, [new Uint8Array(60).fill(7), []], 2n ** 200n, Uint8Array.of(0)])
    for (let bit = 0; bit < bytes.length * 8; bit++) {
      const flipped = bytes.slice()
      flipped[bit >> 3] = (flipped[bit >> 3] as number) ^ (1 << (bit & 7))
      try {
        expect(encodeRlp(decodeRlp(flipped))).toEqual(flipped)
      } catch (error) {
        expect(error).toBeInstanceOf(RlpError)
      }
    }
  })
})

describe('given items to read', () => {
  test('when a list or a string is expected, then the other is refused', () => {
    expect(rlpList([], 'it')).toEqual([])
    expect(() => rlpList(new Uint8Array(0), 'the header')).toThrow('the header must be a list')
    expect(() => rlpList(undefined, 'the header')).toThrow(RlpError)
    expect(() => rlpBytes([], 'the nonce')).toThrow('the nonce must be a byte string')
    expect(() => rlpBytes(undefined, 'the nonce')).toThrow(RlpError)
  })

  test('when a length is expected, then it is enforced', () => {
    expect(rlpBytes(new Uint8Array(20), 'to', 20).length).toBe(20)
    expect(() => rlpBytes(new Uint8Array(19), 'to', 20)).toThrow('to must have 20 bytes, not 19')
  })

  test('when a scalar is expected, then it is minimal and within its size', () => {
    expect(rlpScalar(new Uint8Array(0), 'value')).toBe(0n)
    expect(rlpScalar(fromHex('0400'), 'value')).toBe(1024n)
    expect(rlpScalar(new Uint8Array(32).fill(255), 'value')).toBe(2n ** 256n - 1n)
    expect(() => rlpScalar(Uint8Array.of(0), 'value')).toThrow('leading zeros')
    expect(() => rlpScalar(Uint8Array.of(0, 1), 'value')).toThrow('leading zeros')
    expect(() => rlpScalar(new Uint8Array(33).fill(1), 'value')).toThrow('longer than 32 bytes')
    expect(() => rlpScalar(new Uint8Array(9).fill(1), 'nonce', 8)).toThrow('longer than 8 bytes')
  })
})
