import { equalBytes, type Hash } from '../bytes/bytes.ts'
import { childOf, loadRoot, MISSING, missingEntriesOf, readRun } from './nodes/load.ts'
import { followedNibbles, nibbleAt } from './nodes/nibbles.ts'
import type { TrieNodeReader } from './nodes/node.ts'

/**
 * The value of a key under a root; undefined when the trie does not have the key. Every record on the path is verified
 * against the hash in its parent, so that only the root has to be trusted.
 * @param keyPrefix prefix of the trie's record keys
 * @throws TrieCorruption when a record differs from what its parent refers to; MissingEntries
 */
export const trieValue = (
  nodes: TrieNodeReader,
  keyPrefix: string,
  root: Hash,
  key: Uint8Array,
): Uint8Array | undefined => {
  const run = readRun(nodes, keyPrefix)
  let depth = 0
  let node = loadRoot(run, root)
  while (node !== undefined && node !== MISSING && node.kind === 'branch') {
    const { prefix } = node
    if (followedNibbles(key, depth, prefix) < prefix.length) return undefined
    depth += prefix.length + 1
    node = childOf(run, node, nibbleAt(key, depth - 1), key, depth)
  }
  if (node === MISSING) throw missingEntriesOf(run)
  return node !== undefined && equalBytes(node.key, key) ? node.value : undefined
}
