import type { Hash } from '../bytes/bytes.ts'
import { bigintToBytes } from '../bytes/integer.ts'
import { EMPTY_TRIE_ROOT } from '../crypto/constants.ts'
import { memoryRun, MISSING, rootHash } from './load.ts'
import { type TrieEntry, updateTrie } from './trie.ts'

/** RLP of the index: 0x80 for 0, the byte itself up to 127, else its length and its bytes. */
const indexKey = (index: number): Uint8Array => {
  if (index === 0) return Uint8Array.of(0x80)
  if (index < 0x80) return Uint8Array.of(index)
  if (index < 0x100) return Uint8Array.of(0x81, index)
  if (index < 0x1_0000) return Uint8Array.of(0x82, index >> 8, index & 255)
  const bytes = bigintToBytes(BigInt(index))
  return Uint8Array.of(0x80 + bytes.length, ...bytes)
}

/**
 * The root of the trie that maps RLP(index) to each item: of a block's transactions and receipts in their EIP-2718 form,
 * or of its withdrawals in RLP (Yellow Paper 4.4.2). No item is empty.
 */
export const orderedTrieRoot = (items: readonly Uint8Array[]): Hash => {
  if (items.length === 0) return EMPTY_TRIE_ROOT
  const entries: TrieEntry[] = []
  const add = (index: number): void => {
    entries.push({ key: indexKey(index), value: items[index] })
  }
  // Keys in order: 1 to 127 are one byte, 0 is 0x80, and longer ones follow by their length.
  for (let i = 1; i < items.length && i < 0x80; i++) add(i)
  add(0)
  for (let i = 0x80; i < items.length; i++) add(i)
  const root = updateTrie(memoryRun(), undefined, entries)
  if (root === MISSING) throw new Error('a trie in memory has nothing to load')
  return rootHash(root)
}
