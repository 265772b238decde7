import { builtState } from './builtState.ts'
import { describe, expect, test } from 'bun:test'
import { toHex } from '../../../core/bytes/hex.ts'
import { keccak256 } from '../../../core/crypto/crypto.ts'
import { MissingEntries } from '../../../core/state/account.ts'
import { accountValue } from '../../../core/trie/state/account.ts'
import { createTrieCache } from '../../../core/trie/nodes/cache.ts'
import { TrieCorruption } from '../../../core/trie/nodes/load.ts'
import type { TrieNodeReader } from '../../../core/trie/nodes/node.ts'
import { accountProof } from '../../../core/trie/state/proof.ts'
import { updateStateRoot } from '../../../core/trie/state/stateRoot.ts'
import { verifyProof } from '../../../core/trie/verify.ts'

/** The reader with one record replaced. */
const damaged = (
  records: TrieNodeReader,
  damagedKey: string,
  record: Uint8Array | undefined,
): TrieNodeReader => ({
  get: key => (key === damagedKey ? record : records.get(key)),
})

describe('given a damaged record', () => {
  const { model, records, root, held } = builtState(1, 60)
  const next = model.nextChanges(60)
  const expected = toHex(updateStateRoot(records, root, next).root)

  test('when any bit is flipped, then the error names the record, or it was not needed, and no root is wrong', () => {
    let refused = 0
    for (const [key, record] of records.map)
      for (let bit = 0; bit < record.length * 8; bit += 131) {
        const changed = record.slice()
        changed[bit >> 3] = (changed[bit >> 3] as number) ^ (1 << (bit & 7))
        try {
          expect(toHex(updateStateRoot(damaged(records, key, changed), root, next).root)).toBe(expected)
        } catch (error) {
          if (!(error instanceof TrieCorruption)) throw error
          expect(error.key.startsWith(key)).toBeTrue()
          refused++
        }
      }
    expect(refused).toBeGreaterThan(100)
  })

  test('when any bit of a record is flipped, then no proof contains it', () => {
    for (const [key, record] of records.map) {
      if (key.length > 6) continue
      for (let bit = 0; bit < record.length * 8; bit += 331) {
        const changed = record.slice()
        changed[bit >> 3] = (changed[bit >> 3] as number) ^ (1 << (bit & 7))
        const nodes = damaged(records, key, changed)
        for (const { address, account } of held)
          try {
            const { proof } = accountProof(nodes, root, address)
            expect(verifyProof(root, keccak256(address), proof)).toEqual(accountValue(account))
          } catch (error) {
            if (!(error instanceof TrieCorruption)) throw error
          }
      }
    }
  })

  test('when it is cut off, missing or from another path, then the error has its key and both hashes', () => {
    const key = 't:n'
    const record = records.map.get(key) as Uint8Array
    const update = (value: Uint8Array | undefined) => () =>
      updateStateRoot(damaged(records, key, value), root, next)
    for (let length = 0; length < record.length; length += 3)
      expect(update(record.slice(0, length))).toThrow(
        `trie record ${key} is damaged: expected ${toHex(root)}`,
      )
    expect(update(undefined)).toThrow('found none that can be read')
    const other = [...records.map].find(([name]) => name.startsWith('t:n') && name !== key)?.[1]
    expect(update(other)).toThrow(TrieCorruption)
  })

  test('when the store is repaired, then the next update is right: no cache kept it', () => {
    const cache = createTrieCache(10_000)
    const broken: TrieNodeReader = { get: key => (key.length > 4 ? undefined : records.get(key)) }
    expect(() => updateStateRoot(broken, root, next, cache)).toThrow(TrieCorruption)
    expect(toHex(updateStateRoot(records, root, next, cache).root)).toBe(expected)
  })
})

describe('given a store that loads entries on demand', () => {
  for (const cache of [undefined, createTrieCache(100_000)])
    test(`when an update needs records, then it names whole levels at once, ${cache === undefined ? 'without' : 'with'} a cache`, () => {
      const { model, records, root } = builtState(2, 3000)
      const next = model.nextChanges(500)
      const loaded = new Map<string, Uint8Array | undefined>()
      const nodes: TrieNodeReader = {
        get: key => {
          if (!loaded.has(key)) throw new MissingEntries([key])
          return loaded.get(key)
        },
      }
      for (let rounds = 1; ; rounds++) {
        expect(rounds).toBeLessThan(8)
        try {
          expect(updateStateRoot(nodes, root, next, cache)).toEqual(updateStateRoot(records, root, next))
          break
        } catch (error) {
          if (!(error instanceof MissingEntries)) throw error
          expect(new Set(error.keys).size).toBe(error.keys.length)
          for (const key of error.keys) loaded.set(key, records.get(key))
        }
      }
    })

  test('when it has any other error, then that is passed on', () => {
    const { model, root } = builtState(3, 20)
    const failing: TrieNodeReader = {
      get: () => {
        throw new Error('disk on fire')
      },
    }
    expect(() => updateStateRoot(failing, root, model.nextChanges(5))).toThrow('disk on fire')
  })
})
