import { describe, expect, test } from 'bun:test'
import {
  compareBytes,
  concatBytes,
  equalBytes,
  isZeroBytes,
  padStartBytes,
} from '../../../core/bytes/bytes.ts'
import { fromHex, HexError, toBareHex, toHex, toQuantity } from '../../../core/bytes/hex.ts'
import { hexDigits } from '../../../core/bytes/hexDigits.ts'
import {
  bigintToBytes,
  bigintToFixedBytes,
  bytesToBigint,
  maxBigint,
  minBigint,
  shareBigint,
  sharedBigint,
} from '../../../core/bytes/integer.ts'
import { seededRandom } from '../../support/random.ts'

describe('given bytes', () => {
  test('when they are compared for equality, then the content counts', () => {
    expect(equalBytes(Uint8Array.of(1, 2), Uint8Array.of(1, 2))).toBe(true)
    expect(equalBytes(Uint8Array.of(1, 2), Uint8Array.of(1, 3))).toBe(false)
    expect(equalBytes(Uint8Array.of(1), Uint8Array.of(1, 0))).toBe(false)
    expect(equalBytes(new Uint8Array(0), new Uint8Array(0))).toBe(true)
  })

  test('when they are ordered, then the order is unsigned, and a prefix comes first', () => {
    const ordered = ['', '00', '0000', '0001', '01', '7f', '80', 'ff', 'ff00'].map(fromHex)
    for (let i = 0; i < ordered.length; i++) {
      for (let k = 0; k < ordered.length; k++) {
        const sign = Math.sign(compareBytes(ordered[i] as Uint8Array, ordered[k] as Uint8Array))
        expect(sign).toBe(Math.sign(i - k))
      }
    }
  })

  test('when they are joined, then the result is new', () => {
    const part = Uint8Array.of(1)
    const joined = concatBytes(part, new Uint8Array(0), Uint8Array.of(2, 3))
    expect(joined).toEqual(Uint8Array.of(1, 2, 3))
    part[0] = 9
    expect(joined[0]).toBe(1)
    expect(concatBytes().length).toBe(0)
  })

  test('when every byte is zero, then they are zero', () => {
    expect(isZeroBytes(new Uint8Array(0))).toBe(true)
    expect(isZeroBytes(new Uint8Array(32))).toBe(true)
    expect(isZeroBytes(Uint8Array.of(0, 0, 1))).toBe(false)
  })

  test('when they are padded, then zeros are added on the left, and no byte is cut', () => {
    expect(padStartBytes(Uint8Array.of(1), 3)).toEqual(Uint8Array.of(0, 0, 1))
    const full = Uint8Array.of(1, 2)
    expect(padStartBytes(full, 2)).toBe(full)
    expect(() => padStartBytes(full, 1)).toThrow(RangeError)
  })
})

describe('given hex', () => {
  test('when it is read, then both cases work with and without prefix; it is written in lower case', () => {
    expect(fromHex('0xAbCd')).toEqual(Uint8Array.of(0xab, 0xcd))
    expect(fromHex('abCD')).toEqual(Uint8Array.of(0xab, 0xcd))
    expect(fromHex('0XAB')).toEqual(Uint8Array.of(0xab))
    expect(toHex(Uint8Array.of(0xab, 0x0c))).toBe('0xab0c')
    expect(toBareHex(new Uint8Array(0))).toBe('')
    expect(toHex(new Uint8Array(0))).toBe('0x')
    expect(fromHex('0x').length).toBe(0)
    expect(fromHex('').length).toBe(0)
  })

  test('when every byte is written, then it reads back', () => {
    const bytes = Uint8Array.from({ length: 256 }, (_, byte) => byte)
    expect(fromHex(toHex(bytes))).toEqual(bytes)
  })

  test('when the runtime has no native functions, then the results are the same', () => {
    for (const length of [0, 1, 20, 32, 256, 4095, 4096, 4097, 8192, 10_000]) {
      const bytes = Uint8Array.from({ length }, (_, i) => (i * 7 + (i >> 8)) & 255)
      expect(hexDigits(bytes)).toBe(Buffer.from(bytes).toString('hex'))
    }
  })

  test('when the length is odd or a character wrong, then the error says where', () => {
    for (const text of ['0x1', '1', '0x123']) expect(() => fromHex(text)).toThrow(HexError)
    for (const text of ['0xgg', 'zz', '0x 1', '12 4', '0x0x', '+1', '0x١١'])
      expect(() => fromHex(text)).toThrow(HexError)
    expect(() => fromHex('0x00zz')).toThrow('position 4')
  })

  test('when it is a quantity, then it has no leading zeros', () => {
    expect(toQuantity(0)).toBe('0x0')
    expect(toQuantity(0n)).toBe('0x0')
    expect(toQuantity(1024n)).toBe('0x400')
  })
})

describe('given integers', () => {
  const VALUES = [0n, 1n, 0x7fn, 0x80n, 0xffn, 0x100n, 0xffffn, 0x10000n, 0xffffffn, 0x1000000n, 0xffffffffn]
  const LARGE = [2n ** 32n, 2n ** 48n - 1n, 2n ** 48n, 2n ** 53n, 2n ** 64n - 1n, 2n ** 255n, 2n ** 256n - 1n]

  test('when they are encoded, then the bytes are minimal and big-endian, and zero has none', () => {
    for (const value of [...VALUES, ...LARGE]) {
      const bytes = bigintToBytes(value)
      expect(bytes[0]).not.toBe(0)
      expect(bytesToBigint(bytes)).toBe(value)
    }
    expect(bigintToBytes(0n).length).toBe(0)
    expect(bigintToBytes(0x0102n)).toEqual(Uint8Array.of(1, 2))
  })

  test('when the length is fixed, then they are padded; too large or negative ones are refused', () => {
    expect(bigintToFixedBytes(0x0102n, 4)).toEqual(Uint8Array.of(0, 0, 1, 2))
    expect(bigintToFixedBytes(0n, 2)).toEqual(new Uint8Array(2))
    expect(bigintToFixedBytes(2n ** 256n - 1n, 32)).toEqual(new Uint8Array(32).fill(255))
    expect(() => bigintToFixedBytes(256n, 1)).toThrow(RangeError)
    expect(() => bigintToFixedBytes(2n ** 256n, 32)).toThrow(RangeError)
    expect(() => bigintToFixedBytes(-1n, 32)).toThrow(RangeError)
  })

  test('when they are read, then any length works, with leading zeros or not', () => {
    const random = seededRandom(6)
    for (let length = 0; length <= 40; length++) {
      const bytes = random.bytes(length)
      const expected = bytes.reduce((value, byte) => value * 256n + BigInt(byte), 0n)
      expect(bytesToBigint(bytes)).toBe(expected)
      expect(bytesToBigint(concatBytes(new Uint8Array(3), bytes))).toBe(expected)
    }
  })

  test('when they are shared, then earlier reads do not change them', () => {
    const random = seededRandom(3)
    const edges = [0, 1, 4_095, 4_096, 2 ** 31, 2 ** 32 - 1, 2 ** 32, 2 ** 48 - 1]
    for (let i = 0; i < 20_000; i++) {
      const value =
        edges[random.below(20)] ?? random.below(2 ** 16) * [1, 4_096, 21_000, 2 ** 32][random.below(4)]!
      expect(sharedBigint(value)).toBe(BigInt(value))
      expect(shareBigint(BigInt(value))).toBe(BigInt(value))
    }
    for (const value of [-1n, 2n ** 48n, 2n ** 256n - 1n]) expect(shareBigint(value)).toBe(value)
  })

  test('when two are compared, then minimum and maximum are right', () => {
    expect(minBigint(1n, 2n)).toBe(1n)
    expect(maxBigint(1n, 2n)).toBe(2n)
    expect(minBigint(-1n, -1n)).toBe(-1n)
  })
})
