import { compareBytes, type Hash } from '../bytes/bytes.ts'
import { childOf, loadRoot, MISSING, missingEntriesOf, readRun } from './nodes/load.ts'
import { nibbleAt } from './nodes/nibbles.ts'
import type { Branch, Node, TrieNodeReader } from './nodes/node.ts'

/** A leaf of a trie whose keys all have 32 bytes. */
export type TrieLeaf = { readonly key: Hash; readonly value: Uint8Array }

const KEY_BYTES = 32

const putNibble = (key: Uint8Array, depth: number, nibble: number): void => {
  const at = depth >> 1
  const byte = key[at] as number
  key[at] = (depth & 1) === 0 ? (byte & 0x0f) | (nibble << 4) : (byte & 0xf0) | nibble
}

/**
 * Compares the keys below a branch with the start: negative if all are before it, positive if all are after it, otherwise
 * zero.
 */
const compareToStart = ({ prefix }: Branch, start: Uint8Array, depth: number): number => {
  for (let i = 0; i < prefix.length; i++) {
    const difference = (prefix[i] as number) - nibbleAt(start, depth + i)
    if (difference !== 0) return difference
  }
  return 0
}

/**
 * Up to `countMax` leaves in key order, from `start` on, of the state trie or storage trie with this record key prefix.
 * @throws TrieCorruption when a record differs from what its parent refers to.
 * @throws MissingEntries when an asynchronous store must load records first.
 */
export const trieLeaves = (
  nodes: TrieNodeReader,
  keyPrefix: string,
  root: Hash,
  start: Hash,
  countMax: number,
): readonly TrieLeaf[] => {
  const run = readRun(nodes, keyPrefix)
  const leaves: TrieLeaf[] = []
  const path = new Uint8Array(KEY_BYTES)

  /** Recursion is bounded by the nibbles of a key. `onEdge` is true while the path equals the start's. */
  const visit = (node: Node | undefined, depth: number, onEdge: boolean): void => {
    if (node === undefined || leaves.length >= countMax) return
    if (node.kind === 'leaf') {
      if (!onEdge || compareBytes(node.key, start) >= 0) leaves.push({ key: node.key, value: node.value })
      return
    }
    const side = onEdge ? compareToStart(node, start, depth) : 1
    if (side < 0) return
    node.prefix.forEach((nibble, i) => putNibble(path, depth + i, nibble))
    const childDepth = depth + node.prefix.length + 1
    const first = side === 0 ? nibbleAt(start, childDepth - 1) : 0
    for (let index = first; index < 16 && leaves.length < countMax; index++) {
      putNibble(path, childDepth - 1, index)
      const child = childOf(run, node, index, path, childDepth)
      if (child === MISSING) throw missingEntriesOf(run)
      visit(child, childDepth, side === 0 && index === first)
    }
  }

  const node = loadRoot(run, root)
  if (node === MISSING) throw missingEntriesOf(run)
  visit(node, 0, true)
  return leaves
}
