import type { BesuOptions } from './besuOption.ts'

/** Options of Besu that are accepted with every value, because they tune what this node does by its own rules. */
export const ACCEPTED_OPTIONS: readonly BesuOptions[] = [
  {
    names: `snapsync-server-enabled! snapsync-synchronizer-pre-checkpoint-headers-only-enabled!
      snapsync-synchronizer-transaction-indexing-enabled! Xsnap2-enabled! Xsnapsync-server-enabled!
      Xsnapsync-server-max-concurrent-requests Xsnapsync-server-max-concurrent-requests-per-peer
      Xsnapsync-synchronizer-bytecode-count-per-request
      Xsnapsync-synchronizer-flat-account-healed-count-per-request
      Xsnapsync-synchronizer-flat-db-healing-enabled! Xsnapsync-synchronizer-flat-slot-healed-count-per-request
      Xsnapsync-synchronizer-pivot-block-check-interval-millis
      Xsnapsync-synchronizer-pivot-block-distance-before-caching
      Xsnapsync-synchronizer-pivot-block-window-validity Xsnapsync-synchronizer-pre-merge-headers-only-enabled!
      Xsnapsync-synchronizer-storage-count-per-request Xsnapsync-synchronizer-trienode-count-per-request
      Xcheckpoint-post-merge-enabled! era1-data-uri era1-import-prepipeline-concurrency
      era1-import-prepipeline-enabled!`,
    meaning: '--sync-mode says how this node fetches blocks, and it sizes its requests itself',
  },
  {
    names: `Xsynchronizer-backward-headers-download-step-timeout-millis Xsynchronizer-block-propagation-range
      Xsynchronizer-bodies-download-step-timeout-millis Xsynchronizer-computation-parallelism
      Xsynchronizer-downloader-bodies-request-size Xsynchronizer-downloader-chain-segment-size
      Xsynchronizer-downloader-change-target-threshold-by-height
      Xsynchronizer-downloader-change-target-threshold-by-td Xsynchronizer-downloader-checkpoint-RETRIES
      Xsynchronizer-downloader-checkpoint-timeouts-permitted Xsynchronizer-downloader-header-request-size
      Xsynchronizer-downloader-parallelism Xsynchronizer-header-download-parallelism-factor
      Xsynchronizer-pivot-distance Xsynchronizer-receipts-download-step-timeout-millis
      Xsynchronizer-transactions-parallelism Xsynchronizer-world-state-hash-count-per-request
      Xsynchronizer-world-state-max-requests-without-progress
      Xsynchronizer-world-state-min-millis-before-stalling Xsynchronizer-world-state-request-parallelism
      Xsynchronizer-world-state-task-cache-size`,
    meaning: 'this node sets the pace of its downloads itself',
  },
  {
    names: `bonsai-historical-block-limit bonsai-limit-trie-logs-enabled! bonsai-trie-logs-pruning-window-size
      Xbonsai-limit-trie-logs-enabled! Xbonsai-trie-log-pruning-enabled! Xbonsai-trie-logs-pruning-window-size
      Xpre-merge-pruning-quantity history-expiry-prune! Xhistory-expiry-prune! Xchain-pruning-bals-retained
      Xchain-pruning-blocks-retained Xchain-pruning-enabled Xchain-pruning-frequency
      Xchain-pruning-retained-minimum pruning-block-confirmations pruning-blocks-retained pruning-enabled!`,
    meaning:
      'this node keeps all blocks and states unless --prune-history=<BLOCKS> is given, which keeps the last ones',
  },
  {
    names: `bonsai-maximum-back-layers-to-load bonsai-parallel-state-root-computation-enabled!
      bonsai-parallel-tx-processing-enabled! Xbonsai-archive-state-proofs-enabled!
      Xbonsai-code-using-code-hash-enabled! Xbonsai-cross-block-cache-account-max-size
      Xbonsai-cross-block-cache-enabled! Xbonsai-cross-block-cache-storage-max-size Xbonsai-full-flat-db-enabled!
      Xbonsai-parallel-tx-processing-enabled! Xplugin-rocksdb-high-spec-enabled! auto-log-bloom-caching-enabled!
      genesis-state-hash-cache-enabled! receipt-compaction-enabled! version-compatibility-protection!`,
    meaning: 'this node stores blocks and states in its own format, chosen with --storage',
  },
  {
    names: `cache-last-block-headers cache-last-block-headers-preload-enabled! cache-last-blocks cache-precompiles!
      tx-sender-nonce-index-enabled! kzg-trusted-setup Xevm-go-fast! Xevm-jumpdest-cache-weight-kb
      Xevm-optimized-opcodes! Xevm-v2! Xevm-worldstate-update-mode Xaltbn128-native-enabled!
      Xblake2bf-native-enabled! Xmodexp-native-enabled! Xp256verify-native-enabled! Xsecp-native-enabled!
      Xsecp256k1-native-enabled!`,
    meaning: 'this node has its own caches and chooses the fastest implementation itself',
  },
  {
    names: `block-txs-selection-max-time plugin-block-txs-selection-max-time min-block-occupancy-ratio
      Xpos-block-creation-max-time Xpos-block-creation-repetition-min-duration
      Xpos-block-finalization-timeout-ms Xpos-slot-duration Xbal-log-bals-on-mismatch!
      Xbal-perfect-parallelization-enabled! Xbal-state-root-enabled!`,
    meaning: 'blocks follow QBFT; --poa-block-txs-selection-max-time limits the time for transactions',
  },
  {
    names: 'miner-enabled!',
    meaning: 'a validator makes blocks, and another node makes none',
  },
  {
    names: 'miner-coinbase',
    meaning: "fees go to this validator's own address, or to the miningBeneficiary of the genesis file",
  },
  {
    names: 'reorg-logging-threshold',
    meaning: 'a block with a quorum of seals is final, so no reorganisation can be logged',
  },
  {
    names: `poa-discovery-retry-bootnodes! random-peer-priority-enabled! Xdns-enabled! Xdns-update-enabled!
      compatibility-eth64-forkid-enabled! p2p-peer-lower-bound p2p-ipv6-outbound-enabled! filter-on-enr-fork-id!
      Xnat-method-fallback-enabled! Xp2p-check-maintained-connections-frequency
      Xp2p-initiate-connections-frequency Xp2p-peer-task-timeout Xp2p-dns-discovery-server
      Xv5-discovery-interval-seconds Xv5-discovery-timeout-seconds Xv5-minimum-peer-ratio Xeth-capability-max
      Xeth-capability-min Xeth-max-message-size Xeth-max-transactions-message-size Xewp-max-get-bodies
      Xewp-max-get-headers Xewp-max-get-pooled-transactions Xewp-max-get-receipts
      Xeth65-tx-announced-buffering-period-milliseconds Xincoming-tx-messages-keep-alive-seconds
      Xmax-send-queue-size-per-peer Xmax-tracked-seen-txs Xpeer-tracker-forget-evicted-txs!`,
    meaning: 'bootnodes and static nodes are always redialed, and host names are resolved at each dial',
  },
  {
    names: 'tx-pool-blob-price-bump max-blobs-per-block max-blobs-per-transaction',
    meaning: 'a QBFT network keeps no blobs, so transactions of type 3 are not accepted',
  },
  {
    names: `tx-pool-layer-max-capacity tx-pool-max-prioritized tx-pool-max-prioritized-by-type tx-pool-min-score
      tx-pool-disable-locals! Xtx-pool-save-restore-timeout`,
    meaning: 'the pool has one layer: --tx-pool-max-size and --tx-pool-limit-by-account-percentage limit it',
  },
  {
    names: `api-gas-and-priority-fee-lower-bound-coefficient api-gas-and-priority-fee-upper-bound-coefficient
      Xhttp-streaming-timeout-seconds Xmetrics-idle-timeout Xmetrics-timers-enabled!`,
    meaning: 'this node has nothing that it would set',
  },
  {
    names: 'plugin-continue-on-error! Xplugins-external-enabled!',
    meaning: 'this node loads no plugins',
  },
]
