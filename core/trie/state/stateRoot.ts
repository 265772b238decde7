import type { Hash } from '../../bytes/bytes.ts'
import { createSlab } from '../../bytes/slab.ts'
import { EMPTY_TRIE_ROOT } from '../../crypto/constants.ts'
import { keccak256 } from '../../crypto/crypto.ts'
import { type Account, type AccountChange, type SlotChange, type StateChanges } from '../../state/account.ts'
import { runSteps, type Steps } from '../../steps.ts'
import { ACCOUNT_KEYS, accountValue, slotValue, storageKeys } from './account.ts'
import { chainedRoot } from './chainedRoot.ts'
import { cachedRoot, cacheRoot, type TrieCache, trimCache } from '../nodes/cache.ts'
import { loadRoot, MISSING, missingEntriesOf, rootHash, type TrieRun } from '../nodes/load.ts'
import type { StateRootUpdate, TrieNodeReader } from '../nodes/node.ts'
import { SLICE_ENTRIES, updateInSlices } from './slices.ts'
import { sortSteps } from './sort.ts'
import type { TrieEntry } from '../trie.ts'

/**
 * Slab size, for about twelve accounts. The trie's cache keeps recently changed accounts, and each keeps its whole slab in
 * memory, which takes no more than a separate buffer with its overhead.
 */
const VALUES_SLAB_LENGTH = 1024

export type { StateRootUpdate }

/**
 * Applies the changes of one block to the state trie with the root `parentRoot`, whose records `nodes` reads. Pure: nothing
 * is written, and the same input gives the same result with or without a cache. Yields to other work, which must not change
 * the records that `nodes` reads.
 * @throws TrieCorruption when a record on a path differs from what its parent refers to.
 * @throws MissingEntries with all keys known to be needed, when `nodes` throws it for one.
 */
export function* stateRootSteps(
  nodes: TrieNodeReader,
  parentRoot: Hash,
  changes: StateChanges,
  cache: TrieCache | undefined = nodes.cache,
): Steps<StateRootUpdate> {
  if (nodes.isPartial === true) return chainedRoot(parentRoot, changes)
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
  if (root === MISSING || run.missing.length > 0) throw missingEntriesOf(run)
  return { root, changes: { accounts, codes: changes.codes }, nodes: run.writes ?? [] }
}

/** As `stateRootSteps`, without yielding. @throws as stateRootSteps */
export const updateStateRoot = (
  nodes: TrieNodeReader,
  parentRoot: Hash,
  changes: StateChanges,
  cache: TrieCache | undefined = nodes.cache,
): StateRootUpdate => runSteps(stateRootSteps(nodes, parentRoot, changes, cache))

/** Applies the entries, in any order, to the run's trie; returns the root, or MISSING as `updateTrie` does. */
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
  // Cached even when this run fails: the next run uses the nodes that it loaded and verified.
  if (cache !== undefined) cacheRoot(cache, keyPrefix, parentRoot, before, 0)
  const after = yield* updateInSlices(run, before, yield* sortSteps(entries))
  if (after === MISSING) return MISSING
  const root = after === before ? parentRoot : rootHash(after)
  if (cache !== undefined) cacheRoot(cache, keyPrefix, root, after, run.branches)
  return root
}

/** The storage root of the account's storage trie before any slot of this change. */
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
  // While records are missing, the run only collects their keys; its results are discarded.
  return storageRoot === MISSING ? change : { ...change, after: { ...after, storageRoot } }
}

const slotEntry = ({ slot, after }: SlotChange): TrieEntry => ({
  key: keccak256(slot),
  value: slotValue(after),
})
