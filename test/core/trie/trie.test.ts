import { describe, expect, test } from 'bun:test'
import { toHex } from '../../../core/bytes/hex.ts'
import { EMPTY_TRIE_ROOT } from '../../../core/crypto/constants.ts'
import { createRecords, entry, randomBytes, type Records, seeded, updateStored } from './support.ts'

/** A fresh trie of the same content. */
const rebuilt = (content: ReadonlyMap<string, { key: Uint8Array; value: Uint8Array }>): [string, Records] => {
  const records = createRecords()
  const root = updateStored(
    records,
    EMPTY_TRIE_ROOT,
    [...content.values()].map(({ key, value }) => entry(key, value)),
  )
  return [toHex(root), records]
}

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

describe('batches of random changes', () => {
  for (const { name, keyBytes, digits } of KINDS)
    for (let seed = 1; seed <= 12; seed++)
      test(`${name}, seed ${seed}: each batch gives the root and exactly the records of a fresh build`, () => {
        const next = seeded(seed)
        const records = createRecords()
        const content = new Map<string, { key: Uint8Array; value: Uint8Array }>()
        let root = EMPTY_TRIE_ROOT
        for (let round = 0; round < 25; round++) {
          const batch = new Map<string, { key: Uint8Array; value: Uint8Array | undefined }>()
          const known = [...content.values()]
          const size = 1 + (next() % (round % 3 === 0 ? 40 : 6))
          const shrinking = round % 8 >= 5
          for (let i = 0; i < size; i++) {
            const old = known[next() % Math.max(1, known.length)]
            const key =
              old !== undefined && next() % 3 > 0
                ? old.key
                : randomBytes(next, keyBytes(next())).map(byte => (byte % digits) * (digits < 256 ? 17 : 1))
            const deleted = next() % 10 < (shrinking ? 9 : 3)
            batch.set(toHex(key), { key, value: deleted ? undefined : randomBytes(next, 1 + (next() % 40)) })
          }
          root = updateStored(
            records,
            root,
            [...batch.values()].map(({ key, value }) => entry(key, value)),
          )
          for (const [hex, { key, value }] of batch) {
            if (value === undefined) content.delete(hex)
            else content.set(hex, { key, value })
          }
          const [expected, fresh] = rebuilt(content)
          expect(toHex(root)).toBe(expected)
          expect(records.map).toEqual(fresh.map)
        }
      })
})
