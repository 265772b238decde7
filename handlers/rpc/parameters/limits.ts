/** Slots proved in one eth_getProof: each costs a walk through the storage trie. */
export const STORAGE_KEYS_MAX = 1024

/** Blocks of one eth_feeHistory, as in Besu and geth. */
export const FEE_HISTORY_BLOCKS_MAX = 1024

/** Percentiles of one eth_feeHistory, as in geth: each is looked up in each block. */
export const PERCENTILES_MAX = 100
