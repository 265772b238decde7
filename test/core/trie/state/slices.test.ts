import { describe, expect, test } from 'bun:test'
import { toHex } from '../../../../core/bytes/hex.ts'
import { bigintToFixedBytes } from '../../../../core/bytes/integer.ts'
import { EMPTY_CODE_HASH, EMPTY_TRIE_ROOT } from '../../../../core/crypto/constants.ts'
import { keccak256 } from '../../../../core/crypto/crypto.ts'
import { type Account, type AccountChange, MissingEntries } from '../../../../core/state/account.ts'
import { ACCOUNT_KEYS } from '../../../../core/trie/state/account.ts'
import { createTrieCache } from '../../../../core/trie/nodes/cache.ts'
import { loadRoot, MISSING, rootHash, type TrieRun } from '../../../../core/trie/nodes/load.ts'
import type { TrieNodeReader, TrieNodeWrite } from '../../../../core/trie/nodes/node.ts'
import { SLICE_ENTRIES, updateInSlices } from '../../../../core/trie/state/slices.ts'
import { stateRootSteps, updateStateRoot } from '../../../../core/trie/state/stateRoot.ts'
import { type TrieEntry, updateTrie } from '../../../../core/trie/trie.ts'
import { drive } from '../../../support/drive.ts'
import { createRecords } from '../support.ts'

const entriesOf = (from: number, to: number, text: string): TrieEntry[] =>
  Array.from({ length: to - from }, (_, index) => ({
    key: keccak256(bigintToFixedBytes(BigInt(from + index), 32)),
    value: keccak256(new TextEncoder().encode(`${text}${from + index}`)),
  })).sort((a, b) => Buffer.compare(a.key, b.key))

const runOver = (nodes: TrieNodeReader): TrieRun => ({
  nodes,
  keyPrefix: ACCOUNT_KEYS,
  writes: [],
  missing: [],
  branches: 0,
})

const byKey = (writes: readonly TrieNodeWrite[] | undefined): readonly (readonly [string, string])[] =>
  (writes ?? [])
    .map(({ key, value }): readonly [string, string] => [key, value === undefined ? 'gone' : toHex(value)])
    .sort(([a], [b]) => (a < b ? -1 : 1))

/** A stored trie of 3,000 entries. */
const given = () => {
  const records = createRecords()
  const run = runOver(records)
  const root = updateTrie(run, undefined, entriesOf(0, 3000, 'before'))
  if (root === undefined || root === MISSING) throw new Error('nothing was built')
  records.write(run.writes ?? [])
  return { records, hash: rootHash(root) }
}

/** The same entries applied at once and in slices, each on a trie of its own. */
const both = (entries: readonly TrieEntry[]) => {
  const { records, hash } = given()
  const [whole, sliced] = [runOver(records), runOver(records)]
  const expected = updateTrie(whole, loadRoot(whole, hash) as never, entries)
  const { result, pauses } = drive(updateInSlices(sliced, loadRoot(sliced, hash) as never, entries))
  return { expected, result, pauses, whole, sliced }
}

describe('given many entries applied in slices', () => {
  test.each([
    ['changed ones', entriesOf(0, 2000, 'after')],
    ['new ones', entriesOf(5000, 8000, 'new')],
    ['both', entriesOf(2000, 6000, 'mixed')],
    ['unchanged ones', entriesOf(0, 2000, 'before')],
  ])('when they are %s, then root and records are the same, each once', (_, entries) => {
    const { expected, result, pauses, whole, sliced } = both(entries)
    expect(toHex(rootHash(result as never))).toBe(toHex(rootHash(expected as never)))
    expect(byKey(sliced.writes)).toEqual(byKey(whole.writes))
    expect(pauses).toBeGreaterThanOrEqual(3)
  })

  test.each([17, 40, 100, 500])('when the trie below is small (%i), then the records are the same', size => {
    for (let seed = 0; seed < 20; seed++) {
      const base = seed * 100_000
      const first = createRecords()
      const run = runOver(first)
      const root = updateTrie(run, undefined, entriesOf(base, base + size, 'before'))
      if (root === undefined || root === MISSING) throw new Error('nothing was built')
      first.write(run.writes ?? [])
      const entries = entriesOf(base + size - 10, base + size + 600, 'after')
      const [whole, sliced] = [runOver(first), runOver(first)]
      const expected = updateTrie(whole, loadRoot(whole, rootHash(root)) as never, entries)
      const { result } = drive(updateInSlices(sliced, loadRoot(sliced, rootHash(root)) as never, entries))
      expect(toHex(rootHash(result as never))).toBe(toHex(rootHash(expected as never)))
      expect(byKey(sliced.writes)).toEqual(byKey(whole.writes))
    }
  })

  test('when one slice deletes, then the slices are applied one after the other', () => {
    const entries = entriesOf(0, 2000, 'after').map((entry, index) =>
      index === 7 ? { ...entry, value: undefined } : entry,
    )
    const { expected, result, pauses, whole, sliced } = both(entries)
    expect(toHex(rootHash(result as never))).toBe(toHex(rootHash(expected as never)))
    expect(byKey(sliced.writes)).toEqual(byKey(whole.writes))
    expect(pauses).toBeGreaterThan(0)
  })

  test.each([
    [0, 600, 0],
    [0, 3000, 0],
    [1, 700, 0],
    [900, 900, 2],
    [900, 900, 1],
    [400, 1200, 3],
  ])('when a trie of %i has %i changes and deletions, then the records are the same', (size, count, goes) => {
    for (let seed = 0; seed < 5; seed++) {
      const base = seed * 100_000
      const entries = entriesOf(base, base + count, 'after').map((entry, index) =>
        goes > 0 && index % goes === 0 ? { ...entry, value: undefined } : entry,
      )
      const after = [false, true].map(isSliced => {
        const records = createRecords()
        const first = runOver(records)
        const root =
          size === 0 ? undefined : updateTrie(first, undefined, entriesOf(base, base + size, 'before'))
        records.write(first.writes ?? [])
        const run = runOver(records)
        const loaded = root === undefined ? undefined : (loadRoot(run, rootHash(root as never)) as never)
        const result = isSliced
          ? drive(updateInSlices(run, loaded, entries)).result
          : updateTrie(run, loaded, entries)
        records.write(run.writes ?? [])
        return { root: toHex(rootHash(result as never)), records }
      })
      const [whole, sliced] = after as [(typeof after)[number], (typeof after)[number]]
      expect(sliced.root).toBe(whole.root)
      expect(sliced.records.map).toEqual(whole.records.map)
    }
  })

  test('when records are missing, then all of any slice are named', () => {
    const { records, hash } = given()
    const entries = entriesOf(0, 2000, 'after')
    const rootRecord = `${ACCOUNT_KEYS}n`
    const unloaded: TrieNodeReader = {
      get: key => {
        if (key === rootRecord) return records.get(key)
        throw new MissingEntries([key])
      },
    }
    const run = runOver(unloaded)
    const { result } = drive(updateInSlices(run, loadRoot(run, hash) as never, entries))
    expect(result).toBe(MISSING)
    expect(new Set(run.missing).size).toBe(16)
  })
})

describe('given the state root of a large block', () => {
  const account = (nonce: number): Account => ({
    nonce: BigInt(nonce),
    balance: 5n,
    codeHash: EMPTY_CODE_HASH,
    storageRoot: EMPTY_TRIE_ROOT,
    incarnation: 0n,
  })
  const changesOf = (nonce: number, slots = 0) => ({
    codes: [],
    accounts: Array.from(
      { length: 4 * SLICE_ENTRIES },
      (_, index): AccountChange => ({
        address: bigintToFixedBytes(BigInt(index + 1), 20),
        before: nonce === 0 ? undefined : account(nonce - 1),
        after: account(nonce),
        slots: Array.from({ length: index === 0 ? slots : 0 }, (_unused, slot) => ({
          slot: bigintToFixedBytes(BigInt(slot), 32),
          before: new Uint8Array(32),
          after: bigintToFixedBytes(BigInt(slot + 1), 32),
        })),
      }),
    ),
  })

  test('when it pauses and has a cache, then it is the same as without', () => {
    const records = createRecords()
    const first = updateStateRoot(records, EMPTY_TRIE_ROOT, changesOf(0))
    records.write(first.nodes)
    const cache = createTrieCache()
    const changes = changesOf(1, 3 * SLICE_ENTRIES)
    const { result, pauses } = drive(stateRootSteps(records, first.root, changes, cache))
    const plain = updateStateRoot(records, first.root, changes)
    expect(toHex(result.root)).toBe(toHex(plain.root))
    expect(byKey(result.nodes)).toEqual(byKey(plain.nodes))
    expect(pauses).toBeGreaterThanOrEqual(4)
  })

  test('when it is abandoned between two pauses, then it can start again', () => {
    const records = createRecords()
    const first = updateStateRoot(records, EMPTY_TRIE_ROOT, changesOf(0))
    records.write(first.nodes)
    const cache = createTrieCache(64)
    const given = stateRootSteps(records, first.root, changesOf(1), cache)
    given.next()
    given.next()
    const other = drive(stateRootSteps(records, first.root, changesOf(2), cache)).result
    const again = drive(stateRootSteps(records, first.root, changesOf(1), cache)).result
    expect(toHex(other.root)).toBe(toHex(updateStateRoot(records, first.root, changesOf(2)).root))
    expect(toHex(again.root)).toBe(toHex(updateStateRoot(records, first.root, changesOf(1)).root))
  })
})
