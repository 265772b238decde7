import { concatBytes, EMPTY_BYTES, type Hash } from '../bytes/bytes.ts'
import { bigintToBytes } from '../bytes/integer.ts'
import { keccak256Steps } from '../crypto/keccakSteps.ts'
import { runSteps, type Steps } from '../steps.ts'
import { leafHead } from './nodes/encoding.ts'
import { memoryRun, MISSING, rootHash } from './nodes/load.ts'
import { sharedNibbles } from './nodes/nibbles.ts'
import type { Node } from './nodes/node.ts'
import { type TrieEntry, updateTrie } from './trie.ts'

/** RLP of the index: 0x80 for 0, the byte itself up to 127, otherwise its length and bytes. */
const indexKey = (index: number): Uint8Array => {
  if (index === 0) return Uint8Array.of(0x80)
  if (index < 0x80) return Uint8Array.of(index)
  if (index < 0x100) return Uint8Array.of(0x81, index)
  if (index < 0x1_0000) return Uint8Array.of(0x82, index >> 8, index & 255)
  const bytes = bigintToBytes(BigInt(index))
  return Uint8Array.of(0x80 + bytes.length, ...bytes)
}

/**
 * Items between two yields: encoding and hashing them takes about a millisecond, somewhat more with garbage collection. A
 * power of two, so that two slices share little more than the root.
 */
const SLICE_ITEMS = 64

/** Bytes of items between two yields: hashing them takes about a millisecond. */
const SLICE_BYTES = 256 * 1024

/** The bytes of an item; for a long one (above 55 bytes), the steps that make its bytes in pieces. */
type OrderedItem = Uint8Array | Steps<readonly Uint8Array[]>

/** Indexes with keys of one byte: 1 to 127, and then 0, whose key is 0x80. */
const SHORT_KEYS = 0x80

/** The index whose key is at that position in the order of the keys. */
const indexAt = (position: number, count: number): number => {
  const last = Math.min(count, SHORT_KEYS) - 1
  if (position > last) return position
  return position === last ? 0 : position + 1
}

/** The nibble at which the leaf of this key starts in the trie of all keys. */
const leafDepth = (key: Uint8Array, position: number, count: number): number => {
  let depth = 0
  for (const neighbour of [position - 1, position + 1])
    if (neighbour >= 0 && neighbour < count)
      depth = Math.max(depth, 1 + sharedNibbles(key, indexKey(indexAt(neighbour, count)), 0))
  return depth
}

const HASH_HEAD = 0xa0

/** The entry of a long item; its bytes are hashed in steps and not kept. */
function* longEntry(
  position: number,
  count: number,
  makePieces: Steps<readonly Uint8Array[]>,
): Steps<TrieEntry & { readonly reference: Uint8Array }> {
  const key = indexKey(indexAt(position, count))
  const pieces = yield* makePieces
  const length = pieces.reduce((sum, piece) => sum + piece.length, 0)
  const hash = yield* keccak256Steps(leafHead(key, leafDepth(key, position, count), length), ...pieces)
  return { key, value: EMPTY_BYTES, reference: concatBytes(Uint8Array.of(HASH_HEAD), hash) }
}

/**
 * The root of the trie that maps RLP(index) to each of `count` items: the transactions and receipts of a block in their
 * EIP-2718 form, or its withdrawals in RLP (Yellow Paper 4.4.2). No item is empty. Yields after several items, and within a
 * long one.
 */
export function* orderedTrieRootSteps(count: number, itemAt: (index: number) => OrderedItem): Steps<Hash> {
  const run = memoryRun()
  let root: Node | undefined
  let position = 0
  while (position < count) {
    if (position > 0) yield
    const end = Math.min(position - (position % SLICE_ITEMS) + SLICE_ITEMS, count)
    const entries: TrieEntry[] = []
    for (let bytes = 0; position < end && bytes < SLICE_BYTES; position++) {
      const index = indexAt(position, count)
      const item = itemAt(index)
      if (item instanceof Uint8Array) {
        entries.push({ key: indexKey(index), value: item })
        bytes += item.length
        continue
      }
      const entry = yield* longEntry(position, count, item)
      // The only leaf is the root.
      if (count === 1) return entry.reference.subarray(1)
      entries.push(entry)
    }
    const next = updateTrie(run, root, entries)
    if (next === MISSING) throw new Error('a trie in memory misses a record')
    root = next
  }
  return rootHash(root)
}

/** As `orderedTrieRootSteps`, without yielding. */
export const orderedTrieRoot = (items: readonly Uint8Array[]): Hash =>
  runSteps(orderedTrieRootSteps(items.length, index => items[index] as Uint8Array))
