/**
 * The options of Besu 26.8, of 25.8 and of 24.3, with Besu's default behind `=` where it has one: what a file may hold that
 * was written for any of them.
 */

/** Options that this node has. */
export const KEPT = `
  Xrpc-ipc-api=ETH,NET,WEB3 Xrpc-ipc-apis=ETH,NET,WEB3 Xrpc-ipc-enabled=false Xrpc-ipc-path
  Xbft-legacy-protocol-encoding=false Xhttp-timeout-seconds=30 Xqbft-enable-early-round-change=false
  Xws-timeout-seconds=30 api-gas-price-blocks=100 api-gas-price-max=500000000000
  api-gas-price-percentile=50.0 banned-node-id banned-node-ids bootnodes color-enabled data-path
  discovery-enabled=true estimate-gas-tolerance-ratio=0.015 genesis-file graphql-http-cors-origins=none
  graphql-http-enabled=false graphql-http-host=127.0.0.1 graphql-http-port=8547
  graphql-max-blocks-range=5000 graphql-mtls-enabled=false graphql-tls-enabled=false
  graphql-tls-keystore-file graphql-tls-keystore-password-file host-allowlist=localhost,127.0.0.1 identity
  json-pretty-print-enabled=false logging=INFO logging-format=PLAIN max-peers=25
  metrics-categories=BLOCKCHAIN,ETHEREUM,EXECUTORS,JVM,NETWORK,PEERS,PROCESS,KVSTORE_ROCKSDB,KVSTORE_ROCKSDB_STATS,RPC,SYNCHRONIZER,TRANSACTION_POOL
  metrics-category=BLOCKCHAIN,ETHEREUM,EXECUTORS,JVM metrics-enabled=false metrics-host=127.0.0.1
  metrics-port=9545 metrics-protocol=PROMETHEUS metrics-push-enabled=false metrics-push-host=127.0.0.1
  metrics-push-interval=15 metrics-push-port=9001 metrics-push-prometheus-job=besu-client min-gas-price=1000
  min-priority-fee=0 miner-extra-data=0x net-restrict= network-id node-private-key-file p2p-enabled=true
  p2p-host=127.0.0.1 p2p-host-ipv6 p2p-interface=0.0.0.0 p2p-interface-ipv6=:: p2p-peer-upper-bound=25
  p2p-port=30303 p2p-port-ipv6=30404 p2p-tx-feecap=0
  permissions-accounts-config-file permissions-accounts-config-file-enabled=false
  permissions-nodes-config-file permissions-nodes-config-file-enabled=false pid-path sync-mode=FULL
  poa-block-txs-selection-max-time=75 profile=NONE remote-connections-limit-enabled=true
  remote-connections-max-percentage=60 required-block required-blocks revert-reason-enabled=false
  rpc-filter-timeout-seconds=120 rpc-gas-cap=100000000 rpc-http-api=ETH,NET,WEB3 rpc-http-api-method-no-auth
  rpc-http-api-methods-no-auth rpc-http-apis=ETH,NET,WEB3 rpc-http-authentication-credentials-file
  rpc-http-authentication-enabled=false rpc-http-authentication-jwt-algorithm=RS256
  rpc-http-authentication-jwt-public-key-file rpc-http-cors-origins=none rpc-http-enabled=false
  rpc-http-host=127.0.0.1 rpc-http-max-active-connections=80 rpc-http-max-batch-size=1024
  rpc-http-max-request-content-length=5242880 rpc-http-port=8545 rpc-http-tls-ca-clients-enabled=false
  rpc-http-tls-client-auth-enabled=false rpc-http-tls-enabled=false rpc-http-tls-keystore-file
  rpc-http-tls-keystore-password-file rpc-max-active-filters=1000 rpc-max-logs-range=5000
  rpc-max-trace-filter-range=1000 rpc-max-trace-steps=0 rpc-tx-feecap=1000000000000000000
  rpc-ws-api=ETH,NET,WEB3 rpc-ws-api-method-no-auth rpc-ws-api-methods-no-auth rpc-ws-apis=ETH,NET,WEB3
  rpc-ws-authentication-credentials-file rpc-ws-authentication-enabled=false
  rpc-ws-authentication-jwt-algorithm=RS256 rpc-ws-authentication-jwt-public-key-file rpc-ws-enabled=false
  rpc-ws-host=127.0.0.1 rpc-ws-max-active-connections=80 rpc-ws-max-active-subscriptions=100000
  rpc-ws-max-frame-size=1048576 rpc-ws-port=8546 rpc-ws-ssl-cert-file rpc-ws-ssl-client-auth-enabled=false
  rpc-ws-ssl-enabled=false rpc-ws-ssl-key-file rpc-ws-ssl-keystore-file rpc-ws-ssl-keystore-password
  rpc-ws-ssl-keystore-password-file rpc-ws-ssl-keystore-type=JKS rpc-ws-ssl-trustcert-file static-nodes-file
  strict-tx-replay-protection-enabled=false sync-min-peers=5 target-gas-limit
  tx-pool-enable-balance-check=false tx-pool-enable-save-restore=false
  tx-pool-limit-by-account-percentage=0.001 tx-pool-max-future-by-sender=200 tx-pool-max-size=4096
  tx-pool-min-gas-price=1000 tx-pool-no-local-priority=false tx-pool-price-bump=10 tx-pool-priority-senders
  tx-pool-retention-hours=13 tx-pool-save-file=txpool.dump security-module=localfile
`

/** Options that are accepted with every value. */
export const ACCEPTED = `
  Xaltbn128-native-enabled Xbal-log-bals-on-mismatch Xbal-perfect-parallelization-enabled
  Xbal-state-root-enabled Xblake2bf-native-enabled Xbonsai-archive-state-proofs-enabled
  Xbonsai-code-using-code-hash-enabled Xbonsai-cross-block-cache-account-max-size
  Xbonsai-cross-block-cache-enabled Xbonsai-cross-block-cache-storage-max-size Xbonsai-full-flat-db-enabled
  Xbonsai-limit-trie-logs-enabled Xbonsai-parallel-tx-processing-enabled Xbonsai-trie-log-pruning-enabled
  Xbonsai-trie-logs-pruning-window-size Xchain-pruning-bals-retained Xchain-pruning-blocks-retained
  Xchain-pruning-enabled Xchain-pruning-frequency Xchain-pruning-retained-minimum
  Xcheckpoint-post-merge-enabled Xdns-enabled Xdns-update-enabled Xeth-capability-max Xeth-capability-min
  Xeth-max-message-size Xeth-max-transactions-message-size Xeth65-tx-announced-buffering-period-milliseconds
  Xevm-go-fast Xevm-jumpdest-cache-weight-kb Xevm-optimized-opcodes Xevm-v2 Xevm-worldstate-update-mode
  Xewp-max-get-bodies Xewp-max-get-headers Xewp-max-get-pooled-transactions Xewp-max-get-receipts
  Xhistory-expiry-prune Xhttp-streaming-timeout-seconds Xincoming-tx-messages-keep-alive-seconds
  Xmax-send-queue-size-per-peer Xmax-tracked-seen-txs Xmetrics-idle-timeout Xmetrics-timers-enabled
  Xmodexp-native-enabled Xnat-method-fallback-enabled Xp256verify-native-enabled
  Xp2p-check-maintained-connections-frequency Xp2p-dns-discovery-server Xp2p-initiate-connections-frequency
  Xp2p-peer-task-timeout Xpeer-tracker-forget-evicted-txs Xplugins-external-enabled
  Xpos-block-creation-max-time Xpos-block-creation-repetition-min-duration
  Xpos-block-finalization-timeout-ms Xpos-slot-duration Xpre-merge-pruning-quantity Xsecp-native-enabled
  Xsecp256k1-native-enabled Xsnap2-enabled Xsnapsync-server-enabled Xsnapsync-server-max-concurrent-requests
  Xsnapsync-server-max-concurrent-requests-per-peer Xsnapsync-synchronizer-bytecode-count-per-request
  Xsnapsync-synchronizer-flat-account-healed-count-per-request
  Xsnapsync-synchronizer-flat-db-healing-enabled Xsnapsync-synchronizer-flat-slot-healed-count-per-request
  Xsnapsync-synchronizer-pivot-block-check-interval-millis
  Xsnapsync-synchronizer-pivot-block-distance-before-caching
  Xsnapsync-synchronizer-pivot-block-window-validity Xsnapsync-synchronizer-pre-merge-headers-only-enabled
  Xsnapsync-synchronizer-storage-count-per-request Xsnapsync-synchronizer-trienode-count-per-request
  Xsynchronizer-backward-headers-download-step-timeout-millis Xsynchronizer-block-propagation-range
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
  Xsynchronizer-world-state-task-cache-size Xtx-pool-save-restore-timeout Xv5-discovery-interval-seconds
  Xv5-discovery-timeout-seconds Xv5-minimum-peer-ratio api-gas-and-priority-fee-lower-bound-coefficient
  api-gas-and-priority-fee-upper-bound-coefficient auto-log-bloom-caching-enabled
  block-txs-selection-max-time bonsai-historical-block-limit bonsai-limit-trie-logs-enabled
  bonsai-maximum-back-layers-to-load bonsai-parallel-state-root-computation-enabled
  bonsai-parallel-tx-processing-enabled bonsai-trie-logs-pruning-window-size cache-last-block-headers
  cache-last-block-headers-preload-enabled cache-last-blocks cache-precompiles
  compatibility-eth64-forkid-enabled era1-data-uri era1-import-prepipeline-concurrency
  era1-import-prepipeline-enabled filter-on-enr-fork-id genesis-state-hash-cache-enabled
  history-expiry-prune kzg-trusted-setup max-blobs-per-block max-blobs-per-transaction miner-coinbase
  miner-enabled p2p-ipv6-outbound-enabled plugin-block-txs-selection-max-time plugin-continue-on-error
  poa-discovery-retry-bootnodes pruning-block-confirmations pruning-blocks-retained pruning-enabled
  random-peer-priority-enabled receipt-compaction-enabled reorg-logging-threshold snapsync-server-enabled
  snapsync-synchronizer-pre-checkpoint-headers-only-enabled
  snapsync-synchronizer-transaction-indexing-enabled tx-pool-blob-price-bump tx-pool-disable-locals
  tx-pool-layer-max-capacity tx-pool-max-prioritized tx-pool-max-prioritized-by-type tx-pool-min-score
  tx-sender-nonce-index-enabled version-compatibility-protection`

/** Options that are refused, but for the values that this node does anyway, among them the default. */
export const REFUSED = `
  Xin-process-rpc-api=ETH,NET,WEB3 Xin-process-rpc-apis=ETH,NET,WEB3 Xin-process-rpc-enabled=false
  api-gas-and-priority-fee-limiting-enabled=false checkpoint data-storage-format=BONSAI discovery-dns-url
  discovery-mode=V4 engine-host-allowlist=localhost,127.0.0.1 engine-jwt-disabled=false engine-jwt-secret
  engine-rpc-enabled=false engine-rpc-http-port=8551 engine-rpc-port=8551 ethstats ethstats-cacert-file
  ethstats-contact ethstats-report-interval=5 format=RLP graphql-tls-truststore-file
  graphql-tls-truststore-password-file key-value-storage=rocksdb miner-stratum-enabled=false
  miner-stratum-host=0.0.0.0 miner-stratum-port=8008 nat-method=AUTO network=MAINNET override-genesis-config
  p2p-discovery-port p2p-discovery-port-ipv6=30404
  permissions-accounts-contract-address permissions-accounts-contract-enabled=false
  permissions-nodes-contract-address permissions-nodes-contract-enabled=false
  permissions-nodes-contract-version=1 plugins plugins-verification-mode=NONE print-paths-and-exit=false
  privacy-enable-database-migration=false privacy-enabled=false privacy-flexible-groups-enabled=false
  privacy-marker-transaction-signing-key-file privacy-multi-tenancy-enabled=false privacy-public-key-file
  privacy-tls-enabled=false privacy-tls-keystore-file privacy-tls-keystore-password-file
  privacy-tls-known-enclave-file privacy-url=http://localhost:8888 rpc-http-tls-cipher-suite
  rpc-http-tls-cipher-suites rpc-http-tls-known-clients-file rpc-http-tls-protocol=TLSv1.3,TLSv1.2
  rpc-http-tls-protocols=TLSv1.3,TLSv1.2 rpc-http-tls-truststore-file rpc-http-tls-truststore-password-file
  rpc-ws-ssl-truststore-file rpc-ws-ssl-truststore-password rpc-ws-ssl-truststore-password-file
  rpc-ws-ssl-truststore-type=JKS run=false skip-pow-validation-enabled=true
  start-time tx-pool=layered`

export type Listed = { readonly name: string; readonly besuDefault: string | undefined }

export const listOf = (text: string): readonly Listed[] =>
  text
    .trim()
    .split(/\s+/)
    .map(word => {
      const at = word.indexOf('=')
      return at < 0
        ? { name: word, besuDefault: undefined }
        : { name: word.slice(0, at), besuDefault: word.slice(at + 1) }
    })
