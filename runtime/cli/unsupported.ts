/**
 * Besu's options that this release does not support, by subject, so that the error names the reason. A value after `=` is
 * what this release does anyway and is accepted.
 */
const BY_AREA: Readonly<Record<string, string>> = {
  'this part of the connections between nodes': `p2p-host-ipv6 p2p-interface-ipv6 p2p-port-ipv6 p2p-ipv6-outbound-enabled
    p2p-peer-lower-bound discovery-dns-url poa-discovery-retry-bootnodes=true remote-connections-limit-enabled=false
    remote-connections-max-percentage random-peer-priority-enabled banned-node-ids banned-node-id net-restrict
    nat-method=NONE sync-mode=FULL required-block required-blocks Xdns-enabled=true Xdns-update-enabled=true
    ethstats ethstats-contact ethstats-cacert-file`,
  'TLS on WebSocket': `rpc-ws-ssl-enabled=false rpc-ws-ssl-keystore-file rpc-ws-ssl-keystore-type
    rpc-ws-ssl-keystore-password rpc-ws-ssl-keystore-password-file rpc-ws-ssl-key-file rpc-ws-ssl-cert-file
    rpc-ws-ssl-client-auth-enabled rpc-ws-ssl-truststore-file rpc-ws-ssl-truststore-type rpc-ws-ssl-truststore-password
    rpc-ws-ssl-truststore-password-file rpc-ws-ssl-trustcert-file`,
  'TLS on GraphQL': `graphql-tls-enabled=false graphql-tls-keystore-file graphql-tls-keystore-password-file
    graphql-mtls-enabled=false graphql-tls-truststore-file graphql-tls-truststore-password-file`,
  'TLS on JSON-RPC': `rpc-http-tls-enabled=false rpc-http-tls-keystore-file rpc-http-tls-keystore-password-file
    rpc-http-tls-protocol rpc-http-tls-protocols rpc-http-tls-cipher-suite rpc-http-tls-cipher-suites
    rpc-http-tls-client-auth-enabled=false rpc-http-tls-known-clients-file rpc-http-tls-ca-clients-enabled=false
    rpc-http-tls-truststore-file rpc-http-tls-truststore-password-file`,
  'the named public networks':
    'network profile override-genesis-config genesis-state-hash-cache-enabled=false',
  'the engine API': `engine-rpc-enabled=false engine-rpc-port engine-jwt-disabled engine-jwt-secret engine-host-allowlist`,
  'this choice of key store': 'security-module=localfile',
  "Besu's databases": `data-storage-format=BONSAI,FOREST key-value-storage=rocksdb bonsai-historical-block-limit
    bonsai-limit-trie-logs-enabled bonsai-trie-logs-pruning-window-size auto-log-bloom-caching-enabled
    version-compatibility-protection receipt-compaction-enabled`,
  'the timing of proof-of-stake blocks': 'block-txs-selection-max-time min-block-occupancy-ratio',
  'this part of the transaction pool': `tx-pool=layered,sequenced tx-pool-priority-senders
    tx-pool-blob-price-bump tx-pool-enable-save-restore=false tx-pool-save-file tx-pool-layer-max-capacity
    tx-pool-max-prioritized tx-pool-max-prioritized-by-type tx-pool-min-score
    tx-pool-disable-locals`,
  'this kind of log': 'reorg-logging-threshold Xlog-filter',
  'this way of importing': 'run=false format=RLP skip-pow-validation-enabled=true start-time',
  plugins: 'plugins plugin-continue-on-error Xplugins-external-enabled',
  'process files': 'pid-path Xrpc-ipc-enabled=false Xrpc-ipc-path Xrpc-ipc-api Xrpc-ipc-apis',
}

export type UnsupportedOption = { readonly area: string; readonly accepted: readonly string[] }

/** By name without dashes. */
export const UNSUPPORTED_OPTIONS: ReadonlyMap<string, UnsupportedOption> = new Map(
  Object.entries(BY_AREA).flatMap(([area, words]) =>
    words.split(/\s+/).map(word => {
      const [name = '', accepted] = word.split('=')
      return [name, { area, accepted: accepted?.split(',') ?? [] }] as const
    }),
  ),
)

/** Besu's commands that this release does not support. */
export const UNSUPPORTED_COMMANDS: readonly string[] = [
  'operator',
  'storage',
  'txparse',
  'tx-parse',
  'generate-completion',
]
