import type { Hash } from '../bytes/bytes.ts'
import { bigintToBytes } from '../bytes/integer.ts'
import { runSteps, type Steps } from '../steps.ts'
import { memoryRun, MISSING, rootHash } from './load.ts'
import type { Node } from './node.ts'
import { type TrieEntry, updateTrie } from './trie.ts'

/** RLP of the index: 0x80 for 0, the byte itself up to 127, else its length and bytes. */
const indexKey = (index: number): Uint8Array => {
  if (index === 0) return Uint8Array.of(0x80)
  if (index < 0x80) return Uint8Array.of(index)
  if (index < 0x100) return Uint8Array.of(0x81, index)
  if (index < 0x1_0000) return Uint8Array.of(0x82, index >> 8, index & 255)
  const bytes = bigintToBytes(BigInt(index))
  return Uint8Array.of(0x80 + bytes.length, ...bytes)
}

/**
 * Items between two yields: about a millisecond for encoding and hashing, somewhat more with garbage collection. A power of
 * two, so that two slices share little more than the root.
 */
const SLICE_ITEMS = 64

/** The entries from `start` to `end`; `end` is above 0 if `start` is 0. */
const entriesOf = (start: number, end: number, itemAt: (index: number) => Uint8Array): TrieEntry[] => {
  const entries: TrieEntry[] = []
  const add = (index: number): void => {
    entries.push({ key: indexKey(index), value: itemAt(index) })
  }
  // Key order: 1 to 127 are one byte, 0 is 0x80, and longer ones follow by length.
  for (let i = Math.max(start, 1); i < end && i < 0x80; i++) add(i)
  if (start === 0) add(0)
  for (let i = Math.max(start, 0x80); i < end; i++) add(i)
  return entries
}

/**
 * The root of the trie that maps RLP(index) to each of `count` items: the transactions and receipts of a block in their
 * EIP-2718 form, or its withdrawals in RLP (Yellow Paper 4.4.2). No item is empty. Yields between many.
 */
export function* orderedTrieRootSteps(count: number, itemAt: (index: number) => Uint8Array): Steps<Hash> {
  let root: Node | undefined
  for (let start = 0; start < count; start += SLICE_ITEMS) {
    if (start > 0) yield
    const entries = entriesOf(start, Math.min(start + SLICE_ITEMS, count), itemAt)
    const next = updateTrie(memoryRun(), root, entries)
    if (next === MISSING) throw new Error('a trie in memory has nothing to load')
    root = next
  }
  return rootHash(root)
}

/** As `orderedTrieRootSteps`, without yielding. */
export const orderedTrieRoot = (items: readonly Uint8Array[]): Hash =>
  runSteps(orderedTrieRootSteps(items.length, index => items[index] as Uint8Array))
