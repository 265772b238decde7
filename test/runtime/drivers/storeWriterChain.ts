import type { ChainStoreOptions } from '../../../core/store/chainStore.ts'
import type { SampleChainOptions } from '../../support/chains/sampleChain.ts'

/** The chain that the writer commits and the test that kills it expects. */
export const WRITER_CHAIN: SampleChainOptions = {
  seed: 83,
  blocks: 120,
  accounts: 8,
  slots: 2,
  changesMax: 4,
  transactionsMax: 3,
}

/** Most segments are stored in parts, so that many kills come between two of them. */
export const WRITER_OPTIONS: ChainStoreOptions = { flushBlocks: 5, segmentPartBytes: 300 }
