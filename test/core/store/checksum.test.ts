import { describe, expect, test } from 'bun:test'
import { checkedValue, StoreCorruption, verifiedValue, withChecksum } from '../../../core/store/checksum.ts'
import { seededRandom } from '../../support/random.ts'

const random = seededRandom(41)
const KEY = 'a:00112233445566778899'

const randomBytes = (length: number): Uint8Array => Uint8Array.from({ length }, () => random.below(256))

describe('given the checksum of a stored value', () => {
  test('when a value of any length is read, then it comes back', () => {
    for (let length = 0; length < 200; length++) {
      const value = randomBytes(length)
      expect(checkedValue(KEY, withChecksum(KEY, value))).toEqual(value)
    }
  })

  test('when any bit is flipped, in value or checksum, then it is found', () => {
    for (const length of [0, 1, 2, 3, 4, 5, 7, 31, 64]) {
      const stored = withChecksum(KEY, randomBytes(length))
      for (let bit = 0; bit < 8 * stored.length; bit++) {
        const damaged = stored.slice()
        damaged[bit >> 3] = (damaged[bit >> 3] as number) ^ (1 << (bit & 7))
        expect(checkedValue(KEY, damaged)).toBeUndefined()
      }
    }
  })

  test('when two bits, words or sectors are damaged, then it is found', () => {
    const value = randomBytes(96)
    const stored = withChecksum(KEY, value)
    const first = 64
    for (let bit = first; bit < 8 * stored.length; bit++)
      for (let other = first; other < bit; other++) {
        const damaged = stored.slice()
        damaged[bit >> 3] = (damaged[bit >> 3] as number) ^ (1 << (bit & 7))
        damaged[other >> 3] = (damaged[other >> 3] as number) ^ (1 << (other & 7))
        if (checkedValue(KEY, damaged) !== undefined)
          throw new Error(`bits ${bit} and ${other} are not found`)
      }
    for (let word = 8; word < stored.length; word += 4)
      for (let other = 8; other < word; other += 4) {
        const damaged = stored.slice()
        damaged.copyWithin(word, other, other + 4)
        damaged.set(stored.subarray(word, word + 4), other)
        if (checkedValue(KEY, damaged) !== undefined)
          throw new Error(`words ${word} and ${other} are not found`)
      }
    for (let start = 0; start < stored.length; start += 8)
      expect(checkedValue(KEY, stored.slice().fill(0, start))).toBeUndefined()
  })

  test('when key or length differ, then it is found', () => {
    const value = randomBytes(40)
    const stored = withChecksum(KEY, value)
    expect(checkedValue(KEY.replace('a', 's'), stored)).toBeUndefined()
    expect(checkedValue(`${KEY}0`, stored)).toBeUndefined()
    for (let length = 0; length < stored.length; length++)
      expect(checkedValue(KEY, stored.slice(0, length))).toBeUndefined()
    expect(checkedValue(KEY, Uint8Array.of(...stored, 0))).toBeUndefined()
    expect(checkedValue(KEY, new Uint8Array(stored.length))).toBeUndefined()
  })

  test('when it is wrong, then the error has key and block', () => {
    const stored = withChecksum(KEY, randomBytes(9))
    stored[12] = (stored[12] as number) ^ 1
    expect(() => verifiedValue(KEY, stored, 7)).toThrow(StoreCorruption)
    expect(() => verifiedValue(KEY, stored, 7)).toThrow(`stored record ${KEY} of block 7 is damaged`)
  })
})
