import { openChainStore } from '../../../core/store/chainStore.ts'
import type { KeyValueStore } from '../../../core/store/keyvalue/keyvalue.ts'
import type { ChainHead, ChainStore } from '../../../core/store/store.ts'
import type { SampleChain } from '../chains/sampleChain.ts'
import { sharedMemory } from './replica.ts'

/** A stored chain that grows as a test says, with the parts of a Chain that a replication uses. */
export type StoredChain = {
  readonly chain: {
    readonly store: ChainStore
    readonly genesis: ChainHead
    readonly head: () => ChainHead
    readonly onHead: (listener: (head: ChainHead) => void) => () => void
  }
  /** Commits the blocks up to this one. */
  readonly growTo: (number: number) => Promise<void>
  readonly close: () => Promise<void>
}

const headOf = ({ block, hash, totalDifficulty }: SampleChain['commits'][number]): ChainHead => ({
  header: block.header,
  hash,
  totalDifficulty,
})

/** Stores block 0 to `number` of a sample chain; in memory unless another store is given. */
export const storeChain = async (
  sample: SampleChain,
  number: number,
  kv: KeyValueStore = sharedMemory(),
): Promise<StoredChain> => {
  const store = await openChainStore(kv, { flushBlocks: 8 })
  const listeners = new Set<(head: ChainHead) => void>()
  let next = 0
  const growTo = async (last: number): Promise<void> => {
    for (; next <= last; next++) {
      const commit = sample.commits[next] as SampleChain['commits'][number]
      await store.commit(commit)
      for (const listener of listeners) listener(headOf(commit))
    }
  }
  await growTo(number)
  return {
    chain: {
      store,
      genesis: headOf(sample.commits[0] as SampleChain['commits'][number]),
      head: () => store.head() as ChainHead,
      onHead: listener => {
        listeners.add(listener)
        return () => void listeners.delete(listener)
      },
    },
    growTo,
    close: () => store.close(),
  }
}
