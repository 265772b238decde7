import { describe, expect, test } from 'bun:test'
import { toHex } from '../../../core/bytes/hex.ts'
import { EMPTY_TRIE_ROOT } from '../../../core/crypto/constants.ts'
import { seededRandom } from '../../support/random.ts'
import { createRecords, entry, rebuilt, updateStored } from './support.ts'

const KINDS = [
  { name: 'hashed keys', keyBytes: () => 32, digits: 256 },
  { name: 'hashed keys that share long beginnings', keyBytes: () => 32, digits: 2 },
  { name: 'short keys of one length', keyBytes: () => 3, digits: 4 },
  {
    name: 'keys of different lengths, some the beginning of others',
    keyBytes: (n: number) => n % 5,
    digits: 3,
  },
] as const

describe('given batches of random changes', () => {
  for (const { name, keyBytes, digits } of KINDS)
    for (let seed = 1; seed <= 12; seed++)
      test(`when ${name} runs with seed ${seed}, then each batch gives the root and records of a fresh build`, () => {
        const random = seededRandom(seed)
        const records = createRecords()
        const content = new Map<string, { key: Uint8Array; value: Uint8Array }>()
        let root = EMPTY_TRIE_ROOT
        for (let round = 0; round < 25; round++) {
          const batch = new Map<string, { key: Uint8Array; value: Uint8Array | undefined }>()
          const known = [...content.values()]
          const shrinking = round % 8 >= 5
          for (let i = random.below(round % 3 === 0 ? 40 : 6); i >= 0; i--) {
            const old = known[random.below(known.length || 1)]
            const key =
              old !== undefined && random.below(3) > 0
                ? old.key
                : random.bytes(keyBytes(random.word())).map(byte => (byte % digits) * (digits < 256 ? 17 : 1))
            const deleted = random.below(10) < (shrinking ? 9 : 3)
            batch.set(toHex(key), { key, value: deleted ? undefined : random.bytes(1 + random.below(40)) })
          }
          root = updateStored(records, root, [...batch.values()])
          for (const [hex, { key, value }] of batch) {
            if (value === undefined) content.delete(hex)
            else content.set(hex, { key, value })
          }
          const fresh = rebuilt(content)
          expect(toHex(root)).toBe(toHex(fresh.root))
          expect(records.map).toEqual(fresh.records.map)
        }
      })
})

describe('given one batch', () => {
  const key = (text: string): Uint8Array => Uint8Array.from(text, character => character.charCodeAt(0))

  test('when it deletes a missing key, then nothing changes and nothing is written', () => {
    const records = createRecords()
    const root = updateStored(records, EMPTY_TRIE_ROOT, [
      entry(key('dog'), key('puppy')),
      entry(key('doge'), key('coin')),
    ])
    const before = new Map(records.map)
    const again = updateStored(records, root, [entry(key('cat'), undefined), entry(key('do'), undefined)])
    expect(toHex(again)).toBe(toHex(root))
    expect(records.map).toEqual(before)
  })

  test('when it deletes everything, then the empty root and no record remain', () => {
    const records = createRecords()
    const keys = ['a', 'ab', 'abc', 'b', 'horse'].map(key)
    const root = updateStored(
      records,
      EMPTY_TRIE_ROOT,
      keys.map(each => entry(each, each)),
    )
    const empty = updateStored(
      records,
      root,
      keys.map(each => entry(each, undefined)),
    )
    expect(toHex(empty)).toBe(toHex(EMPTY_TRIE_ROOT))
    expect(records.map.size).toBe(0)
  })

  test('when a key is too long for a record, then it is refused', () => {
    const long = [entry(new Uint8Array(128), key('x'))]
    expect(() => updateStored(createRecords(), EMPTY_TRIE_ROOT, long)).toThrow(RangeError)
  })
})
