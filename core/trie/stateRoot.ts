import type { Hash } from '../bytes/bytes.ts'
import { createSlab } from '../bytes/slab.ts'
import { EMPTY_TRIE_ROOT } from '../crypto/constants.ts'
import { keccak256 } from '../crypto/crypto.ts'
import {
  type Account,
  type AccountChange,
  MissingEntries,
  type SlotChange,
  type StateChanges,
} from '../state/account.ts'
import { runSteps, type Steps } from '../steps.ts'
import { ACCOUNT_KEYS, accountValue, slotValue, storageKeys } from './account.ts'
import { cachedRoot, cacheRoot, type TrieCache, trimCache } from './cache.ts'
import { loadRoot, MISSING, rootHash, type TrieRun } from './load.ts'
import type { TrieNodeReader, TrieNodeWrite } from './node.ts'
import { SLICE_ENTRIES, updateInSlices } from './slices.ts'
import { sortSteps } from './sort.ts'
import type { TrieEntry } from './trie.ts'

/**
 * Of some twelve accounts. The trie's cache keeps the values of accounts that changed lately, and one of them all its slab:
 * no more than a buffer of its own takes with what belongs to it.
 */
const VALUES_SLAB_LENGTH = 1024

/** What a block made of the state trie. */
export type StateRootUpdate = {
  readonly root: Hash
  /** The changes that were given, every `after.storageRoot` filled in. */
  readonly changes: StateChanges
  /** The records that are new, changed or gone. */
  readonly nodes: readonly TrieNodeWrite[]
}

/**
 * Applies what one block changed to the state trie whose records `nodes` reads and whose root is `parentRoot`. Pure:
 * nothing is written, and the result is the same for the same input, with a cache or without. Yields where other work may
 * have its turn, which must not change what `nodes` reads.
 * @throws TrieCorruption when a record on the way is not what its parent says.
 * @throws MissingEntries with all keys that are known to be needed, when `nodes` throws it for any.
 */
export function* stateRootSteps(
  nodes: TrieNodeReader,
  parentRoot: Hash,
  changes: StateChanges,
  cache: TrieCache | undefined = nodes.cache,
): Steps<StateRootUpdate> {
  const run: TrieRun = { nodes, keyPrefix: ACCOUNT_KEYS, writes: [], missing: [], branches: 0 }
  const accounts: AccountChange[] = []
  let slots = 0
  for (const change of changes.accounts) {
    accounts.push(yield* withStorageRoot(run, change, cache))
    slots += change.slots.length
    if (slots < SLICE_ENTRIES) continue
    slots = 0
    yield
  }
  const allocate = createSlab(VALUES_SLAB_LENGTH)
  const entries: TrieEntry[] = []
  for (const { address, after } of accounts) {
    entries.push({
      key: keccak256(address),
      value: after === undefined ? undefined : accountValue(after, allocate),
    })
    if (entries.length % SLICE_ENTRIES === 0) yield
  }
  const root = yield* rootSteps(run, parentRoot, entries, cache)
  if (cache !== undefined) trimCache(cache)
  if (root === MISSING || run.missing.length > 0) throw new MissingEntries([...new Set(run.missing)])
  return { root, changes: { accounts, codes: changes.codes }, nodes: run.writes ?? [] }
}

/** The same in one go. @throws as stateRootSteps */
export const updateStateRoot = (
  nodes: TrieNodeReader,
  parentRoot: Hash,
  changes: StateChanges,
  cache: TrieCache | undefined = nodes.cache,
): StateRootUpdate => runSteps(stateRootSteps(nodes, parentRoot, changes, cache))

/** Applies the entries, in any order, to the run's trie; the root, or MISSING as `updateTrie` says. */
export const updateRoot = (run: TrieRun, parentRoot: Hash, entries: TrieEntry[]): Hash | typeof MISSING =>
  runSteps(rootSteps(run, parentRoot, entries))

function* rootSteps(
  run: TrieRun,
  parentRoot: Hash,
  entries: TrieEntry[],
  cache?: TrieCache,
): Steps<Hash | typeof MISSING> {
  const { keyPrefix } = run
  const before = (cache && cachedRoot(cache, keyPrefix, parentRoot)) ?? loadRoot(run, parentRoot)
  if (before === MISSING) return MISSING
  // Kept even when this run fails: what it loads and verifies below serves the next one.
  if (cache !== undefined) cacheRoot(cache, keyPrefix, parentRoot, before, 0)
  const after = yield* updateInSlices(run, before, yield* sortSteps(entries))
  if (after === MISSING) return MISSING
  const root = after === before ? parentRoot : rootHash(after)
  if (cache !== undefined) cacheRoot(cache, keyPrefix, root, after, run.branches)
  return root
}

/** The storage root that the account's storage trie has before any slot of this change. */
const storageRootBefore = (before: Account | undefined, after: Account): Hash =>
  before !== undefined && before.incarnation === after.incarnation ? before.storageRoot : EMPTY_TRIE_ROOT

function* withStorageRoot(
  run: TrieRun,
  change: AccountChange,
  cache: TrieCache | undefined,
): Steps<AccountChange> {
  const { address, before, after, slots } = change
  if (after === undefined) return change
  const rootBefore = storageRootBefore(before, after)
  if (slots.length === 0) return { ...change, after: { ...after, storageRoot: rootBefore } }
  const keyPrefix = storageKeys(address, after.incarnation)
  const storageRun = { ...run, keyPrefix, branches: 0 }
  const entries: TrieEntry[] = []
  for (const slot of slots) {
    entries.push(slotEntry(slot))
    if (entries.length % SLICE_ENTRIES === 0) yield
  }
  const storageRoot = yield* rootSteps(storageRun, rootBefore, entries, cache)
  // While records are missing the run only finds out which; what it computes is thrown away.
  return storageRoot === MISSING ? change : { ...change, after: { ...after, storageRoot } }
}

const slotEntry = ({ slot, after }: SlotChange): TrieEntry => ({
  key: keccak256(slot),
  value: slotValue(after),
})
