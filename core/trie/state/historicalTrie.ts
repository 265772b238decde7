import { type Address, equalBytes, type Hash } from '../../bytes/bytes.ts'
import { toBareHex } from '../../bytes/hex.ts'
import { keccak256 } from '../../crypto/crypto.ts'
import { type Account, type StateChanges } from '../../state/account.ts'
import { ACCOUNT_KEYS, accountValue, slotValue, storageKeys } from './account.ts'
import { MISSING, missingEntriesOf, recordKey, TrieCorruption, type TrieRun } from '../nodes/load.ts'
import type { TrieNodeReader } from '../nodes/node.ts'
import { updateRoot } from './stateRoot.ts'
import type { TrieEntry } from '../trie.ts'

/** A storage trie as stored, and the earlier values of its slots. */
type StorageUndo = { readonly root: Hash; readonly slots: Map<string, TrieEntry> }

/**
 * The state trie before the given blocks: an in-memory overlay over the head's records, for proofs at an earlier block.
 * `reverse` has the changes of the blocks to undo, the head's first, without gaps; work and memory are proportional to its
 * length, so the caller limits it.
 * @throws TrieCorruption when a record is damaged, or the changes do not lead to the storage roots that they state.
 * @throws MissingEntries when an asynchronous store must load records first.
 */
export const historicalNodes = (
  nodes: TrieNodeReader,
  reverse: readonly StateChanges[],
  headRoot: Hash,
): { readonly nodes: TrieNodeReader; readonly root: Hash } => {
  const accounts = new Map<string, { readonly address: Address; readonly before: Account | undefined }>()
  const storages = new Map<string, StorageUndo>()
  for (const changes of reverse)
    for (const change of changes.accounts) {
      accounts.set(toBareHex(change.address), change)
      collectStorage(storages, change)
    }

  const run: TrieRun = { nodes, keyPrefix: ACCOUNT_KEYS, writes: [], missing: [], branches: 0 }
  const entries: TrieEntry[] = []
  for (const { address, before } of accounts.values()) {
    entries.push({ key: keccak256(address), value: before === undefined ? undefined : accountValue(before) })
    if (before === undefined) continue
    const keyPrefix = storageKeys(address, before.incarnation)
    const undo = storages.get(keyPrefix)
    if (undo === undefined) continue
    const root = updateRoot({ ...run, keyPrefix }, undo.root, [...undo.slots.values()])
    if (root !== MISSING && !equalBytes(root, before.storageRoot))
      throw new TrieCorruption(recordKey(keyPrefix, ''), before.storageRoot, root)
  }
  const root = updateRoot(run, headRoot, entries)
  if (root === MISSING || run.missing.length > 0) throw missingEntriesOf(run)

  const overlay = new Map(run.writes?.map(({ key, value }) => [key, value]))
  return { root, nodes: { get: key => (overlay.has(key) ? overlay.get(key) : nodes.get(key)) } }
}

/**
 * Must be called from the newest change to the oldest: the first root is that of the stored records, and the last value is
 * the oldest.
 */
const collectStorage = (
  storages: Map<string, StorageUndo>,
  { address, before, after, slots }: StateChanges['accounts'][number],
): void => {
  if (before === undefined) return
  // The records of a storage that this block removed stay under their own keys: only its root is needed.
  const goesOn = after !== undefined && after.incarnation === before.incarnation
  const keyPrefix = storageKeys(address, before.incarnation)
  let undo = storages.get(keyPrefix)
  if (undo === undefined) {
    undo = { root: goesOn ? after.storageRoot : before.storageRoot, slots: new Map() }
    storages.set(keyPrefix, undo)
  }
  if (!goesOn) return
  for (const { slot, before: value } of slots)
    undo.slots.set(toBareHex(slot), { key: keccak256(slot), value: slotValue(value) })
}
