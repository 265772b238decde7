import type { Address, Hash } from '../../bytes/bytes.ts'
import { MissingEntries, type StateReader } from '../../state/account.ts'
import type { TrieNodeReader } from '../../trie/nodes/node.ts'
import { prefetchAccounts } from '../../trie/state/prefetch.ts'

/**
 * Reads these accounts and the trie branches on the paths to them into the caches, for the block that will change them.
 * @throws MissingEntries with all keys known to be needed; StoreCorruption, TrieCorruption
 */
export const prefetch = (
  state: StateReader,
  nodes: TrieNodeReader,
  stateRoot: Hash,
  addresses: readonly Address[],
): void => {
  const missing: string[] = []
  const collect = (read: () => unknown): void => {
    try {
      read()
    } catch (error) {
      if (!(error instanceof MissingEntries)) throw error
      // Collects all missing keys, so that one round of loading fetches them.
      for (const key of error.keys) missing.push(key)
    }
  }
  if (nodes.isPartial !== true) collect(() => prefetchAccounts(nodes, stateRoot, addresses))
  for (const address of addresses) collect(() => state.account(address))
  if (missing.length > 0) throw new MissingEntries(missing)
}
