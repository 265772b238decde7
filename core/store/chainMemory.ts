import type { Hash } from '../bytes/bytes.ts'
import { createTrieCache } from '../trie/nodes/cache.ts'
import type { TrieNodeReader } from '../trie/nodes/node.ts'
import { createMemtable, headNode, type Memtable, NOT_CHANGED } from './flushing/memtable.ts'
import { nodeKey } from './keys.ts'
import type { RecoveredViews } from './recovery/recover.ts'
import type { ChainHead } from './store.ts'
import type { Views } from './views/views.ts'

/** The head and the unflushed blocks in memory, over the views. Commits and flushes change it. */
export type ChainMemory = {
  readonly views: Views
  /** The last block that another network made, on a chain that forks it; -1 on any other. */
  readonly forkBlock: number
  /** The head and the RECENT_BLOCKS before it, by number. */
  readonly recent: Map<number, ChainHead>
  /** The first block whose record is kept besides that of the genesis block; 0 while all are. */
  historyStart: number
  head: ChainHead | undefined
  genesisHash: Hash | undefined
  active: Memtable
  /** The memtable that is being flushed. */
  immutable: Memtable | undefined
  /** Set while `active` has changes of a block that has not become the head. */
  adding: Promise<void> | undefined
}

export const createChainMemory = (
  views: Views,
  { heads, flushedHeight, historyStart }: RecoveredViews,
  forkBlock: number,
): ChainMemory => ({
  views,
  forkBlock,
  historyStart,
  recent: new Map(heads.map(head => [Number(head.header.number), head])),
  head: heads.at(-1),
  genesisHash: flushedHeight?.genesisHash,
  active: createMemtable(),
  immutable: undefined,
  adding: undefined,
})

/** -1 while there is no genesis block. */
export const headNumberOf = ({ head }: ChainMemory): number =>
  head === undefined ? -1 : Number(head.header.number)

/** The active memtable, then the immutable one. */
export const memtablesOf = ({ active, immutable }: ChainMemory): readonly Memtable[] =>
  immutable === undefined ? [active] : [active, immutable]

/** Trie records at the head. */
export const nodeReaderOf = (memory: ChainMemory): TrieNodeReader => ({
  get: key => {
    const { active, immutable } = memory
    const recent = headNode(active, key)
    if (recent !== NOT_CHANGED) return recent
    const flushed = immutable === undefined ? NOT_CHANGED : headNode(immutable, key)
    if (flushed !== NOT_CHANGED) return flushed
    return memory.views.node(nodeKey(key))
  },
  cache: createTrieCache(),
  isPartial: memory.forkBlock >= 0,
})
