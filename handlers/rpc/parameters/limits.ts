/** Maximum number of slots of one eth_getProof: each needs a walk through the storage trie. */
export const STORAGE_KEYS_MAX = 1024

/** Maximum number of blocks of one eth_feeHistory, as in Besu and geth. */
export const FEE_HISTORY_BLOCKS_MAX = 1024

/** Maximum number of percentiles of one eth_feeHistory, as in geth: each is looked up in each block. */
export const PERCENTILES_MAX = 100

/** Blocks that one call makes on a development chain: more take longer than a client waits. */
export const MINED_BLOCKS_MAX = 0xffff

/** Seconds between two blocks of a development chain, 12 days: a timer holds no more than 24. */
export const INTERVAL_SECONDS_MAX = 0xf_ffff
