import { describe, expect, test } from 'bun:test'
import { toBareHex } from '../../../core/bytes/hex.ts'
import { createHashTable } from '../../../core/state/hashTable.ts'
import { useTableSeed } from '../../../core/state/hash.ts'
import { seededRandom } from '../../support/random.ts'

describe('given a table by hashes', () => {
  test('when hashes have any bytes, then it equals a map by their hex digits', () => {
    const random = seededRandom(11)
    const spread = (): Uint8Array => Uint8Array.from({ length: 32 }, () => random.below(256))
    const alike = (): Uint8Array => {
      const hash = new Uint8Array(32)
      hash[random.below(32)] = random.below(4)
      hash[31] = random.below(256)
      return hash
    }
    for (const make of [spread, alike])
      for (const seed of [0, -1, 77]) {
        useTableSeed(seed)
        const table = createHashTable()
        const map = new Map<string, number>()
        for (let i = 0; i < 5_000; i++) {
          const hash = make()
          table.set(hash, i)
          map.set(toBareHex(hash), i)
          const other = make()
          expect(table.get(other)).toBe(map.get(toBareHex(other)))
        }
        expect(table.size).toBe(map.size)
        expect([...table.hashes()].map(toBareHex)).toEqual([...map.keys()])
        for (const hash of table.hashes()) expect(table.get(hash)).toBe(map.get(toBareHex(hash)))
      }
  })

  test('when its last entries are removed, then the earlier ones are found, and others take their places', () => {
    const random = seededRandom(5)
    const table = createHashTable()
    const hashes = Array.from({ length: 3_000 }, () => random.bytes(32))
    for (const [index, hash] of hashes.entries()) table.set(hash, index)
    for (const kept of [2_999, 1_500, 40, 0]) {
      table.truncate(kept)
      expect(table.size).toBe(kept)
      expect(hashes.filter(hash => table.get(hash) !== undefined).length).toBe(kept)
      for (const [index, hash] of hashes.entries()) if (index >= kept) table.set(hash, 2 * index)
      expect(hashes.every((hash, index) => table.get(hash) === (index < kept ? index : 2 * index))).toBe(true)
      table.truncate(kept)
    }
  })

  test('when the caller changes its hash, then the table keeps its own copy, and integers beyond 32 bits', () => {
    const table = createHashTable()
    const hash = new Uint8Array(32)
    table.set(hash, 2 ** 53 - 1)
    hash[0] = 1
    expect(table.get(hash)).toBeUndefined()
    expect(table.get(new Uint8Array(32))).toBe(2 ** 53 - 1)
  })
})
