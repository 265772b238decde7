import { createHashTable, type HashTable } from '../../state/hashTable.ts'
import type { Account, StateChanges } from '../../state/account.ts'
import { accountCodec, slotCodec } from '../codec/stateValues.ts'
import { createVersions, type Versions } from '../views/versions.ts'
import { accountKey, blockHashKey, codeKey, slotKey } from '../keys.ts'
import { ADD_STEP_ITEMS } from '../limits.ts'
import type { BlockCommit, ChainHead } from '../store.ts'
import type { TrieNodeWrite } from '../../trie/nodes/node.ts'
import type { Steps } from '../../steps.ts'

/** Memory per entry besides its bytes: map slot, key and object headers. */
const ENTRY_BYTES = 200
/** Memory of a transaction's entry in the flat table. */
const TRANSACTION_BYTES = 64
const HEAD_BYTES = 2000

/** The changes of consecutive committed blocks that the views do not have, by store key. */
export type Memtable = {
  /** Ascending, without gaps. */
  readonly heads: ChainHead[]
  readonly accounts: Versions<Account | undefined>
  readonly slots: Versions<Uint8Array>
  readonly nodes: Map<string, Uint8Array | undefined>
  /** While the records of a large block are added: the head's records that they replace, which readers still see. */
  nodesBefore: Map<string, HeadNode> | undefined
  readonly codes: Map<string, Uint8Array>
  readonly blockNumbers: Map<string, number>
  /** Block and index in one number, see `locationOf`. */
  readonly transactions: HashTable
  /** Estimated memory. */
  bytes: number
}

/** Stands for a trie record that a memtable does not have. */
export const NOT_CHANGED = Symbol('not changed')

/** A trie record at the head. */
export type HeadNode = Uint8Array | undefined | typeof NOT_CHANGED

/** More transactions than any gas limit allows in a block. */
const TRANSACTIONS_MAX = 2 ** 20

/**
 * Block and index of a transaction, decoded from the number that the memtable stores: a stored pair for each transaction
 * would burden garbage collection.
 */
export const locationOf = (place: number): readonly [block: number, index: number] => [
  Math.floor(place / TRANSACTIONS_MAX),
  place % TRANSACTIONS_MAX,
]

export const createMemtable = (): Memtable => ({
  heads: [],
  accounts: createVersions(accountCodec),
  slots: createVersions(slotCodec),
  nodes: new Map(),
  nodesBefore: undefined,
  codes: new Map(),
  blockNumbers: new Map(),
  transactions: createHashTable(),
  bytes: 0,
})

function* addState(memtable: Memtable, block: number, changes: StateChanges): Steps<void> {
  let steps = 0
  for (const { address, before, after, slots } of changes.accounts) {
    if (before !== after) memtable.bytes += memtable.accounts.put(accountKey(address), block, before, after)
    if (++steps % ADD_STEP_ITEMS === 0) yield
    if (after === undefined) continue
    for (const change of slots) {
      const key = slotKey(address, after.incarnation, change.slot)
      memtable.bytes += memtable.slots.put(key, block, change.before, change.after)
      if (++steps % ADD_STEP_ITEMS === 0) yield
    }
  }
  for (const { codeHash, code } of changes.codes) {
    memtable.codes.set(codeKey(codeHash), code)
    memtable.bytes += ENTRY_BYTES + code.length
  }
}

/**
 * Adds the changes of the block after the memtable's last one. Yields every ADD_STEP_ITEMS: until `addHead`, readers must
 * not read past the head, and the memtable must not be flushed.
 */
export function* addChangesSteps(
  memtable: Memtable,
  { block, changes }: Pick<BlockCommit, 'block' | 'changes'>,
): Steps<void> {
  const number = Number(block.header.number)
  for (const [index, transaction] of block.transactions.entries()) {
    memtable.transactions.set(transaction.hash, number * TRANSACTIONS_MAX + index)
    if (index % ADD_STEP_ITEMS === ADD_STEP_ITEMS - 1) yield
  }
  memtable.bytes += TRANSACTION_BYTES * block.transactions.length
  yield* addState(memtable, number, changes)
}

/** The trie record under the key at the head: its value, undefined if it was removed, or NOT_CHANGED. */
export const headNode = ({ nodes, nodesBefore }: Memtable, key: string): HeadNode => {
  if (nodesBefore?.has(key) === true) return nodesBefore.get(key)
  const value = nodes.get(key)
  return value !== undefined || nodes.has(key) ? value : NOT_CHANGED
}

/**
 * Adds the trie records of a block, each in place of an earlier one with its key. Yields every ADD_STEP_ITEMS; until
 * `addHead`, `headNode` returns the head's records. Calls `keep` before it replaces records.
 */
export function* addNodesSteps(
  memtable: Memtable,
  writes: readonly TrieNodeWrite[],
  keep: (replaced: readonly TrieNodeWrite[]) => void,
): Steps<void> {
  const { nodes } = memtable
  const before = writes.length > ADD_STEP_ITEMS ? new Map<string, HeadNode>() : undefined
  memtable.nodesBefore = before
  for (let start = 0; start < writes.length; start += ADD_STEP_ITEMS) {
    if (start > 0) yield
    const slice = writes.slice(start, start + ADD_STEP_ITEMS)
    keep(slice)
    for (const { key, value } of slice) {
      const known = nodes.get(key)
      before?.set(key, headNode(memtable, key))
      if (known !== undefined) memtable.bytes -= known.length
      else memtable.bytes += ENTRY_BYTES
      nodes.set(key, value)
      memtable.bytes += value?.length ?? 0
    }
  }
}

/** Adds the block after its changes and trie records. */
export const addHead = (
  memtable: Memtable,
  { block, hash, totalDifficulty }: Pick<BlockCommit, 'block' | 'hash' | 'totalDifficulty'>,
): void => {
  memtable.nodesBefore = undefined
  memtable.heads.push({ header: block.header, hash, totalDifficulty })
  memtable.blockNumbers.set(blockHashKey(hash), Number(block.header.number))
  memtable.bytes += HEAD_BYTES
}
