import type { Address, Hash } from '../../bytes/bytes.ts'
import { keccak256 } from '../../crypto/crypto.ts'
import { ACCOUNT_KEYS } from './account.ts'
import { cachedRoot, cacheRoot, trimCache } from '../nodes/cache.ts'
import { childOf, loadRoot, MISSING, missingEntriesOf, readRun, type TrieRun } from '../nodes/load.ts'
import { followedNibbles, nibbleAt } from '../nodes/nibbles.ts'
import { INSIDE, type Node, type TrieNodeReader } from '../nodes/node.ts'
import { isBranchInside } from '../nodes/readRecord.ts'

/** Loads the branches on the path to a key. The leaf is not read, because an update replaces it without reading it. */
const follow = (run: TrieRun, top: Node | undefined, key: Uint8Array): void => {
  let node: Node | undefined = top
  let depth = 0
  while (node?.kind === 'branch') {
    const { prefix, children } = node
    if (followedNibbles(key, depth, prefix) < prefix.length) return
    depth += prefix.length + 1
    const nibble = nibbleAt(key, depth - 1)
    if (children[nibble] === INSIDE && !isBranchInside(node, nibble)) return
    const child = childOf(run, node, nibble, key, depth)
    if (child === MISSING) return
    node = child
  }
}

/**
 * Loads into the reader's cache the branches of the state trie with this root that an update of these accounts needs, so
 * that the block that changes the accounts neither reads nor verifies them. Does nothing without a cache.
 * @throws TrieCorruption, MissingEntries as `updateStateRoot`
 */
export const prefetchAccounts = (nodes: TrieNodeReader, root: Hash, addresses: readonly Address[]): void => {
  const { cache } = nodes
  if (cache === undefined) return
  const run = readRun(nodes, ACCOUNT_KEYS)
  const top = cachedRoot(cache, ACCOUNT_KEYS, root) ?? loadRoot(run, root)
  if (top !== MISSING) {
    for (const address of addresses) follow(run, top, keccak256(address))
    cacheRoot(cache, ACCOUNT_KEYS, root, top, run.branches)
    trimCache(cache)
  }
  if (run.missing.length > 0) throw missingEntriesOf(run)
}
