import { describe, expect, test } from 'bun:test'
import type { Address, Hash } from '../../../../core/bytes/bytes.ts'
import { toHex } from '../../../../core/bytes/hex.ts'
import { EMPTY_TRIE_ROOT } from '../../../../core/crypto/constants.ts'
import { keccak256 } from '../../../../core/crypto/crypto.ts'
import { MissingEntries } from '../../../../core/state/account.ts'
import { createTrieCache } from '../../../../core/trie/nodes/cache.ts'
import { TrieCorruption } from '../../../../core/trie/nodes/load.ts'
import { prefetchAccounts } from '../../../../core/trie/state/prefetch.ts'
import { updateStateRoot } from '../../../../core/trie/state/stateRoot.ts'
import { createStateModel } from '../blocks.ts'
import { createRecords, type Records } from '../support.ts'

type Built = {
  readonly records: Records
  readonly root: Hash
  readonly model: ReturnType<typeof createStateModel>
}

const built = (accounts: number): Built => {
  const model = createStateModel(11, accounts)
  const records = createRecords()
  let root = EMPTY_TRIE_ROOT
  for (let block = 0; block < 6; block++) {
    const update = updateStateRoot(records, root, model.nextChanges(block === 0 ? accounts : 20))
    records.write(update.nodes)
    root = update.root
    model.apply(update.changes)
  }
  return { records, root, model }
}

const unknown = (index: number): Address => keccak256(Uint8Array.of(7, index)).slice(12)

describe('given prefetched accounts', () => {
  test('when the block runs, then it reads nothing more of the state trie, and has the same result', () => {
    const { records, root, model } = built(600)
    for (let block = 0; block < 10; block++) {
      const changes = model.nextChanges(30)
      const reads: string[] = []
      const nodes = {
        get: (key: string) => {
          reads.push(key)
          return records.get(key)
        },
        cache: createTrieCache(),
      }
      prefetchAccounts(nodes, root, [
        ...changes.accounts.map(({ address }) => address),
        ...Array.from({ length: 20 }, (_, index) => unknown(index)),
      ])
      expect(reads.length).toBeGreaterThan(5)
      reads.length = 0
      const ahead = updateStateRoot(nodes, root, changes)
      const plain = updateStateRoot(records, root, changes)
      expect(toHex(ahead.root)).toBe(toHex(plain.root))
      expect(ahead.nodes).toEqual(plain.nodes)
      // The neighbours of a deleted account, and storage, are only known when the block is executed.
      if (changes.accounts.every(({ after }) => after !== undefined))
        expect(reads.filter(key => key.startsWith('t:n'))).toEqual([])
    }
  })

  test('when the trie is empty or there is no cache, then it does nothing', () => {
    prefetchAccounts(
      { get: () => undefined, cache: createTrieCache() },
      EMPTY_TRIE_ROOT,
      Array.from({ length: 3 }, (_, index) => unknown(index)),
    )
    const never = (): never => {
      throw new Error('nothing is to be read')
    }
    prefetchAccounts({ get: never }, EMPTY_TRIE_ROOT, [unknown(0)])
  })

  test('when the cache is small, then it stays within its limit', () => {
    const { records, root } = built(600)
    const cache = createTrieCache(40)
    for (let index = 0; index < 200; index++) prefetchAccounts({ ...records, cache }, root, [unknown(index)])
    expect(cache.branches).toBeLessThanOrEqual(50)
  })

  test('when the store must load first, then it names all records', () => {
    const { records, root, model } = built(600)
    const loaded = new Set<string>()
    const nodes = {
      get: (key: string) => {
        if (!loaded.has(key)) throw new MissingEntries([key])
        return records.get(key)
      },
      cache: createTrieCache(),
    }
    const addresses = model.nextChanges(30).accounts.map(({ address }) => address)
    let rounds = 0
    for (; rounds < 10; rounds++)
      try {
        prefetchAccounts(nodes, root, addresses)
        break
      } catch (error) {
        for (const key of (error as MissingEntries).keys) loaded.add(key)
      }
    // One for each level.
    expect(rounds).toBeLessThanOrEqual(5)
    expect(loaded.size).toBeGreaterThan(10)
  })

  test('when a record is damaged, then it is found', () => {
    const { records, root, model } = built(600)
    const addresses = model.nextChanges(30).accounts.map(({ address }) => address)
    const record = records.map.get('t:n') as Uint8Array
    const damaged = record.slice()
    damaged[20] = (damaged[20] as number) ^ 1
    records.map.set('t:n', damaged)
    expect(() => prefetchAccounts({ ...records, cache: createTrieCache() }, root, addresses)).toThrow(
      TrieCorruption,
    )
  })
})
