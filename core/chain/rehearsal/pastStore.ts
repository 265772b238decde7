import { equalBytes, type Hash } from '../../bytes/bytes.ts'
import { BLOCK_HASHES_MAX } from '../../evm/transaction/environment.ts'
import { type StateChanges, countChanges } from '../../state/account.ts'
import type { ChainHead, ChainStore } from '../../store/store.ts'
import { historicalNodes } from '../../trie/state/historicalTrie.ts'
import type { TrieNodeReader } from '../../trie/nodes/node.ts'
import { ChainError } from '../error.ts'

/** Maximum undone accounts and slots of one trie; its time and memory are proportional to them. */
const CHANGES_MAX = 200_000

/** Goes back from the head of a store that does not change meanwhile. */
export type PastStores = {
  /** The store as it was when `parent` was its head. Must be called from the head down, for each block. */
  before(parent: ChainHead): Promise<ChainStore>
}

const hashesUpTo = async (store: ChainStore, last: bigint): Promise<ReadonlyMap<bigint, Hash>> => {
  const hashes = new Map<bigint, Hash>()
  const first = last > BLOCK_HASHES_MAX ? last - BLOCK_HASHES_MAX : 0n
  for (let number = first; number <= last; number++) {
    const head = await store.chainHead(number)
    if (head !== undefined) hashes.set(number, head.hash)
  }
  return hashes
}

/** Tries and block hashes of a store at its last blocks, from the changes of the blocks after them. */
export const createPastStores = (store: ChainStore, head: ChainHead): PastStores => {
  const reverse: StateChanges[] = []
  let collectedTo = head.header.number
  let size = 0
  return {
    before: async parent => {
      const { number, stateRoot } = parent.header
      for (; collectedTo > number; collectedTo--) {
        const changes = await store.changesOf(collectedTo)
        if (changes === undefined)
          throw new ChainError('NO_SUCH_BLOCK', `the changes of block ${collectedTo} are not in the store`)
        reverse.push(changes)
        size += countChanges(changes)
      }
      if (size > CHANGES_MAX)
        throw new ChainError(
          'UNSUPPORTED',
          `the blocks after ${number} change more than ${CHANGES_MAX} accounts and slots: begin at a later block`,
        )
      let nodes: TrieNodeReader | undefined
      const hashes = await hashesUpTo(store, number)
      return {
        ...store,
        head: () => parent,
        recentHash: past => hashes.get(past),
        nodes: () => {
          if (nodes !== undefined) return nodes
          const trie = historicalNodes(store.nodes(), reverse, head.header.stateRoot)
          if (!equalBytes(trie.root, stateRoot))
            throw new ChainError('NO_SUCH_BLOCK', `undoing blocks does not give the state of block ${number}`)
          nodes = trie.nodes
          return nodes
        },
      }
    },
  }
}
