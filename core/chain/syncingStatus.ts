/** Progress of a sync in block numbers, as `eth_syncing` returns it. */
export type SyncingStatus = {
  readonly startingBlock: bigint
  readonly currentBlock: bigint
  readonly highestBlock: bigint
}
