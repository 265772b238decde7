import type { Hash } from '../../bytes/bytes.ts'
import { accountKey, blockHashKey, codeKey, slotKey } from '../keys.ts'
import type { BlockCommit } from '../store.ts'
import { type HeadNode, headNode, type Memtable, NOT_CHANGED } from './memtable.ts'

/** A block of a memtable, with what it replaced there. */
export type UndoableBlock = Pick<BlockCommit, 'block' | 'hash' | 'changes'> & {
  /** The memory and the transactions of the memtable before. */
  readonly bytes: number
  readonly transactions: number
  /** Transactions that an earlier block has, too: nonces can be set back on a development chain. */
  readonly moved: readonly (readonly [hash: Hash, place: number])[]
  readonly nodes: ReadonlyMap<string, HeadNode>
  /** Keys of the codes that no earlier block of the memtable has. */
  readonly codes: readonly string[]
}

/** What is needed to remove a block again that is about to be added. */
export const undoableBlock = (memtable: Memtable, commit: BlockCommit): UndoableBlock => {
  const { block, hash, changes, nodes } = commit
  const moved: (readonly [Hash, number])[] = []
  for (const transaction of block.transactions) {
    const place = memtable.transactions.get(transaction.hash)
    if (place !== undefined) moved.push([transaction.hash, place])
  }
  return {
    block,
    hash,
    changes,
    bytes: memtable.bytes,
    transactions: memtable.transactions.size,
    moved,
    nodes: new Map(nodes.map(({ key }) => [key, headNode(memtable, key)])),
    codes: changes.codes.map(({ codeHash }) => codeKey(codeHash)).filter(key => !memtable.codes.has(key)),
  }
}

function* slotKeys({ changes }: UndoableBlock): Generator<string> {
  for (const { address, after, slots } of changes.accounts)
    if (after !== undefined) for (const { slot } of slots) yield slotKey(address, after.incarnation, slot)
}

/** Removes the last block of the memtable. */
export const removeLastBlock = (memtable: Memtable, undoable: UndoableBlock): void => {
  const { block, hash, changes, bytes, transactions, moved, nodes, codes } = undoable
  const number = Number(block.header.number)
  memtable.heads.pop()
  memtable.blockNumbers.delete(blockHashKey(hash))
  memtable.transactions.truncate(transactions)
  for (const [transaction, place] of moved) memtable.transactions.set(transaction, place)
  memtable.accounts.removeFrom(
    changes.accounts.map(({ address }) => accountKey(address)),
    number,
  )
  memtable.slots.removeFrom(slotKeys(undoable), number)
  for (const [key, node] of nodes)
    if (node === NOT_CHANGED) memtable.nodes.delete(key)
    else memtable.nodes.set(key, node)
  for (const key of codes) memtable.codes.delete(key)
  memtable.bytes = bytes
}
