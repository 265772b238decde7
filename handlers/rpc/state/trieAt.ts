import { equalBytes, type Hash } from '../../../core/bytes/bytes.ts'
import type { StateChanges } from '../../../core/state/account.ts'
import { historicalNodes } from '../../../core/trie/history.ts'
import type { TrieNodeReader } from '../../../core/trie/node.ts'
import type { RpcContext } from '../context.ts'
import { RpcError } from '../dispatch/errors.ts'
import { createYield } from '../dispatch/scheduler.ts'

/** How far before the head the trie can be read: it is kept for the head, earlier ones are worked out by undoing blocks. */
export const TRIE_BLOCKS_MAX = 1024n

/** Accounts and slots undone for one trie, which is what its time and memory follow. */
export const TRIE_CHANGES_MAX = 200_000

/** A head that moves on while blocks are read is followed so many times. */
const ATTEMPTS_MAX = 8

/** The state trie after one block, whatever becomes the head meanwhile. */
export type TrieAt = {
  /** May run `run` more than once. @throws RpcError where the block is too far back */
  read<T>(run: (nodes: TrieNodeReader, root: Hash) => T): Promise<T>
}

const sizeOf = ({ accounts }: StateChanges): number =>
  accounts.reduce((sum, { slots }) => sum + 1 + slots.length, 0)

/** The trie after block `number`, whose root is checked against the block's. */
export const trieAt = (context: RpcContext, number: bigint, expired: () => boolean): TrieAt => {
  const { store } = context.chain
  const reverse: StateChanges[] = []
  let collectedTo = number
  let size = 0
  /** What undoing gave, and for which head. */
  let undone: { readonly head: bigint; readonly nodes: TrieNodeReader } | undefined

  /** Adds what the blocks up to `to` changed, the newest first, in front of what is there. */
  const collect = async (to: bigint): Promise<void> => {
    const yieldTurn = createYield(context.nowMs)
    for (; collectedTo < to; collectedTo++) {
      await yieldTurn()
      if (expired()) throw new RpcError('TIMEOUT')
      const changes = await store.changesOf(collectedTo + 1n)
      if (changes === undefined) throw new RpcError('WORLD_STATE_UNAVAILABLE')
      reverse.unshift(changes)
      size += sizeOf(changes)
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
      for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt++) {
        const head = context.chain.head().header.number
        if (head - number > TRIE_BLOCKS_MAX) break
        await collect(head)
        const answer = await store.run(() => {
          const current = context.chain.head().header
          // Blocks may have been committed while changes were read; the records are always those of the head.
          if (current.number !== collectedTo) return undefined
          return { value: run(nodesBefore(current, header.stateRoot), header.stateRoot) }
        })
        if (answer !== undefined) return answer.value
      }
      throw new RpcError('WORLD_STATE_UNAVAILABLE')
    },
  }
}
