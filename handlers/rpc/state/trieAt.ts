import { equalBytes, type Hash } from '../../../core/bytes/bytes.ts'
import { type StateChanges, countChanges } from '../../../core/state/account.ts'
import { historicalNodes } from '../../../core/trie/state/historicalTrie.ts'
import type { TrieNodeReader } from '../../../core/trie/nodes/node.ts'
import type { RpcContext } from '../context.ts'
import { RpcError } from '../errors.ts'

/**
 * Maximum distance from the head at which the trie can be read: the store has the head's trie, earlier ones are
 * computed by undoing blocks.
 */
export const TRIE_BLOCKS_MAX = 1024n

/** Maximum number of undone accounts and slots for one trie; its time and memory are proportional to them. */
const TRIE_CHANGES_MAX = 200_000

/** Maximum number of attempts when the head advances while blocks are read. */
const ATTEMPTS_MAX = 8

/** The state trie after one block, independent of a changing head. */
export type TrieAt = {
  /** May call `run` more than once, on a forked chain with partial nodes. @throws RpcError if the block is too old */
  read<T>(run: (nodes: TrieNodeReader, root: Hash) => T): Promise<T>
}

/** The trie after block `number`, checked against the block's state root. */
export const trieAt = (context: RpcContext, number: bigint, expired: () => boolean): TrieAt => {
  const { store } = context.chain
  const reverse: StateChanges[] = []
  let collectedTo = number
  let size = 0
  /** The undone trie nodes, and the head that they belong to. */
  let undone: { readonly head: bigint; readonly nodes: TrieNodeReader } | undefined

  /** Prepends the changes of the blocks up to `to`, newest first. */
  const collect = async (to: bigint): Promise<void> => {
    const yieldTurn = context.scheduler.createYield()
    for (; collectedTo < to; collectedTo++) {
      await yieldTurn()
      if (expired()) throw new RpcError('TIMEOUT')
      const changes = await store.changesOf(collectedTo + 1n)
      if (changes === undefined) throw new RpcError('WORLD_STATE_UNAVAILABLE')
      reverse.unshift(changes)
      size += countChanges(changes)
      if (size > TRIE_CHANGES_MAX) throw new RpcError('WORLD_STATE_UNAVAILABLE')
    }
  }

  const nodesBefore = (head: { readonly number: bigint; readonly stateRoot: Hash }, root: Hash) => {
    if (undone?.head === head.number) return undone.nodes
    const trie = historicalNodes(store.nodes(), reverse, head.stateRoot)
    if (!equalBytes(trie.root, root))
      throw new Error(`undoing ${reverse.length} blocks does not give the state root of block ${number}`)
    undone = { head: head.number, nodes: trie.nodes }
    return trie.nodes
  }

  return {
    read: async run => {
      const header = await store.header(number)
      if (header === undefined) throw new RpcError('WORLD_STATE_UNAVAILABLE')
      // Refuses a state that was removed, before blocks are read.
      store.stateAt(number)
      const nodes = store.nodes()
      if (nodes.isPartial === true) return store.run(() => run(nodes, header.stateRoot))
      for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt++) {
        const head = context.chain.head().header.number
        if (head - number > TRIE_BLOCKS_MAX) break
        await collect(head)
        const answer = await store.run(() => {
          const current = context.chain.head().header
          // Blocks may have been committed meanwhile; the trie records are always the head's.
          if (current.number !== collectedTo) return undefined
          return { value: run(nodesBefore(current, header.stateRoot), header.stateRoot) }
        })
        if (answer !== undefined) return answer.value
      }
      throw new RpcError('WORLD_STATE_UNAVAILABLE')
    },
  }
}
