/** Metric categories of `--metrics-category`; Besu's names, and QBFT. */
export const METRIC_CATEGORIES = [
  'BLOCKCHAIN',
  'ETHEREUM',
  'NETWORK',
  'PEERS',
  'PERMISSIONING',
  'PROCESS',
  'QBFT',
  'RPC',
  'SYNCHRONIZER',
  'TRANSACTION_POOL',
] as const

/** Categories of Besu's whose metrics measure its own machinery: accepted, and empty here. */
export const EMPTY_CATEGORIES: readonly string[] = [
  'BLOCK_PROCESSING',
  'EXECUTORS',
  'JVM',
  'KVSTORE_ROCKSDB',
  'KVSTORE_ROCKSDB_STATS',
  'KVSTORE_PRIVATE_ROCKSDB',
  'KVSTORE_PRIVATE_ROCKSDB_STATS',
  'PRUNER',
  'STRATUM',
]

export type MetricCategory = (typeof METRIC_CATEGORIES)[number]
