import { equalBytes, type Hash } from '../bytes/bytes.ts'
import { MissingEntries } from '../state/account.ts'
import { childOf, loadRoot, MISSING, type TrieRun } from './load.ts'
import { followedNibbles, nibbleAt } from './nibbles.ts'
import type { TrieNodeReader } from './node.ts'

/**
 * The value of a key under a root, undefined when the trie does not have the key. Every record on the way is checked
 * against the hash in the one above it, so that the root alone has to be trusted.
 * @param keyPrefix of the record keys of the trie
 * @throws TrieCorruption when a record is not what its parent refers to; MissingEntries
 */
export const trieValue = (
  nodes: TrieNodeReader,
  keyPrefix: string,
  root: Hash,
  key: Uint8Array,
): Uint8Array | undefined => {
  const run: TrieRun = { nodes, keyPrefix, writes: undefined, missing: [], branches: 0 }
  let depth = 0
  let node = loadRoot(run, root)
  while (node !== undefined && node !== MISSING && node.kind === 'branch') {
    const { prefix } = node
    if (followedNibbles(key, depth, prefix) < prefix.length) return undefined
    depth += prefix.length + 1
    node = childOf(run, node, nibbleAt(key, depth - 1), key, depth)
  }
  if (node === MISSING) throw new MissingEntries(run.missing)
  return node !== undefined && equalBytes(node.key, key) ? node.value : undefined
}
