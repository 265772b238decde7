import type { Chain } from '../../core/chain/chain.ts'
import type { SyncingStatus } from '../../core/chain/syncingStatus.ts'
import type { Meters } from './registry.ts'

export type ChainSources = {
  readonly chain: Chain
  /** Undefined while the node is level with its peers. */
  readonly syncing: () => SyncingStatus | undefined
  /** The highest head that a peer named; undefined without peers. */
  readonly highestOfPeers: () => bigint | undefined
}

const collectHead = async (
  meters: Meters,
  { chain, syncing, highestOfPeers }: ChainSources,
): Promise<void> => {
  const { header, totalDifficulty } = chain.head()
  const number = Number(header.number)
  const block = (await chain.store.record(header.number))?.block
  meters.set('ethereum_blockchain_height', number)
  meters.set('ethereum_best_known_block_number', Math.max(number, Number(highestOfPeers() ?? 0n)))
  meters.set('ethereum_blockchain_finalized_block', number)
  meters.set('ethereum_blockchain_safe_block', number)
  meters.set('besu_synchronizer_in_sync', syncing() === undefined ? 1 : 0)
  meters.set('quorate_history_start_block', Number(chain.store.historyStart?.() ?? 0n))
  meters.set('besu_blockchain_difficulty', Number(totalDifficulty))
  meters.set('besu_blockchain_chain_head_timestamp', Number(header.timestamp))
  meters.set('besu_blockchain_chain_head_gas_used', Number(header.gasUsed))
  meters.set('besu_blockchain_chain_head_gas_limit', Number(header.gasLimit))
  meters.set('besu_blockchain_chain_head_transaction_count', block?.transactions.length ?? 0)
  meters.set('besu_blockchain_chain_head_ommer_count', block?.ommers.length ?? 0)
}

/** Metrics of the head of the chain. */
export const addChainMetrics = (meters: Meters, sources: ChainSources): void =>
  meters.onCollect(() => collectHead(meters, sources))
