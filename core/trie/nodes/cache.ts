import { equalBytes, type Hash } from '../../bytes/bytes.ts'
import { type Branch, INSIDE, type Node, STORED } from './node.ts'
import { hasRecord } from './record.ts'

/** A version of one trie: its root node with the nodes loaded below it. */
type Version = { readonly root: Hash; readonly node: Node }

/**
 * Cache of decoded trie nodes between blocks, so that the upper levels, which every block changes, are neither read nor
 * verified again. It cannot become stale: a version is found only by its root hash, all its nodes were verified against
 * that hash when they were loaded, and updates create new nodes. One cache serves one store. Nothing has to be undone when
 * an update is discarded.
 */
export type TrieCache = {
  /** Number of branches (about 1 kB each) above which lower levels are evicted. */
  readonly branchesMax: number
  /** The last versions of each trie (newest first) by record key prefix; the most recently used trie is last. */
  readonly tries: Map<string, readonly Version[]>
  /** Upper bound of the number of cached branches, counted when they are added. */
  branches: number
}

/**
 * About 20 MB: the four upper levels of the state trie (4,369 branches, which every busy block changes) and the branches
 * that the last blocks used. Smaller states fit entirely.
 */
const TRIE_CACHE_BRANCHES_MAX = 16_384

/** The head, and the block on top of it, which may still be discarded. */
const VERSIONS_MAX = 2

export const createTrieCache = (branchesMax: number = TRIE_CACHE_BRANCHES_MAX): TrieCache => ({
  branchesMax,
  tries: new Map(),
  branches: 0,
})

export const cachedRoot = (cache: TrieCache, keyPrefix: string, root: Hash): Node | undefined =>
  cache.tries.get(keyPrefix)?.find(version => equalBytes(version.root, root))?.node

/** Makes this version the newest of its trie. `added` is the number of branches loaded or created for it. */
export const cacheRoot = (
  cache: TrieCache,
  keyPrefix: string,
  root: Hash,
  node: Node | undefined,
  added: number,
): void => {
  const others = cache.tries.get(keyPrefix)?.filter(version => !equalBytes(version.root, root)) ?? []
  cache.tries.delete(keyPrefix)
  const versions = [...(node === undefined ? [] : [{ root, node }]), ...others].slice(0, VERSIONS_MAX)
  if (versions.length > 0) cache.tries.set(keyPrefix, versions)
  cache.branches += added
}

/** When the cache exceeds its limit, evicts nodes down to half of it; upper levels and recently used tries stay. */
export const trimCache = (cache: TrieCache): void => {
  if (cache.branches <= cache.branchesMax) return
  const kept = new Set<Node>()
  const limit = cache.branchesMax >> 1
  let level: Branch[] = []
  const keep = (node: Node): boolean => {
    if (kept.has(node)) return true
    if (kept.size >= limit) return false
    kept.add(node)
    if (node.kind === 'branch') level.push(node)
    return true
  }
  for (const [keyPrefix, versions] of [...cache.tries].reverse()) {
    const left = versions.filter(({ node }) => keep(node))
    if (left.length === 0) cache.tries.delete(keyPrefix)
    else cache.tries.set(keyPrefix, left)
  }
  while (level.length > 0) {
    const above = level
    level = []
    for (const { children } of above)
      for (let i = 0; i < 16; i++) {
        const child = children[i]
        if (child === undefined || child === STORED || child === INSIDE || child.kind !== 'branch') continue
        if (!keep(child)) children[i] = hasRecord(child) ? STORED : INSIDE
      }
  }
  cache.branches = kept.size
}
