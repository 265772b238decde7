import { createHashTable, type HashTable } from '../state/hashTable.ts'
import type { Account, StateChanges } from '../state/account.ts'
import { accountCodec, slotCodec } from './codec/stateValues.ts'
import { createVersions, type Versions } from './versions.ts'
import { accountKey, blockHashKey, codeKey, slotKey } from './keys.ts'
import { ADD_STEP_ITEMS } from './limits.ts'
import type { BlockCommit, ChainHead } from './store.ts'
import type { Steps } from '../steps.ts'

/** What an entry costs in memory beside its bytes: map slot, key and object headers. */
const ENTRY_BYTES = 200
/** A transaction, by its hash in a flat table. */
const TRANSACTION_BYTES = 64
const HEAD_BYTES = 2000

/** Everything that a run of committed blocks changed and that the views do not have yet; by store key. */
export type Memtable = {
  /** Ascending, without gaps. */
  readonly heads: ChainHead[]
  readonly accounts: Versions<Account | undefined>
  readonly slots: Versions<Uint8Array>
  readonly nodes: Map<string, Uint8Array | undefined>
  readonly codes: Map<string, Uint8Array>
  readonly blockNumbers: Map<string, number>
  /** Block and index in one number, see `placeOf`. */
  readonly transactions: HashTable
  /** Estimate of the memory it takes. */
  bytes: number
}

/** More transactions than any gas limit lets into a block. */
const TRANSACTIONS_MAX = 2 ** 20

/** Where a transaction stands, from the number that a layer keeps for it: a pair for each would be much to collect. */
export const locationOf = (place: number): readonly [block: number, index: number] => [
  Math.floor(place / TRANSACTIONS_MAX),
  place % TRANSACTIONS_MAX,
]

export const createMemtable = (): Memtable => ({
  heads: [],
  accounts: createVersions(accountCodec),
  slots: createVersions(slotCodec),
  nodes: new Map(),
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
 * Adds what the block that follows the layer's last one changed. Yields amid much: who reads must look no further than the
 * head, and nothing of the layer may be stored until `addHead`.
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

/** Adds the block itself, behind its changes. Trie records replace each other, so the ones near the root count once however many blocks changed them. */
export const addHead = (memtable: Memtable, { block, hash, totalDifficulty, nodes }: BlockCommit): void => {
  memtable.heads.push({ header: block.header, hash, totalDifficulty })
  memtable.blockNumbers.set(blockHashKey(hash), Number(block.header.number))
  memtable.bytes += HEAD_BYTES
  for (const { key, value } of nodes) {
    const known = memtable.nodes.get(key)
    if (known !== undefined) memtable.bytes -= known.length
    else memtable.bytes += ENTRY_BYTES
    memtable.nodes.set(key, value)
    memtable.bytes += value?.length ?? 0
  }
}
