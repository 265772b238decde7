/**
 * The keys of configuration files that public networks give to their members, with values of the same kind. What each is
 * refused for, in one answer; an empty list starts.
 */
export type PublicFile = {
  readonly network: string
  readonly toml: string
  /** Keys of refused options. */
  readonly refused: readonly string[]
  /** Beginnings of further messages. */
  readonly others?: readonly string[]
}

/** The generator of the curve: a valid key that belongs to nobody. */
const NODE_ID =
  '79be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798483ada7726a3c4655da4fbfc0e1108a8fd17b448a68554199c47d08ffb10d4b8'
const NODE = `enode://${NODE_ID}@172.16.239.11:30303`

export const PUBLIC_FILES: readonly PublicFile[] = [
  {
    network: 'the quickstart of Besu and GoQuorum',
    toml: `logging = "INFO"
data-path = "/opt/besu/data"
host-whitelist = ["*"]
rpc-http-enabled = true
rpc-http-host = "0.0.0.0"
rpc-http-port = 8545
rpc-http-cors-origins = ["*"]
rpc-ws-enabled = true
rpc-ws-host = "0.0.0.0"
rpc-ws-port = 8546
graphql-http-enabled = true
graphql-http-host = "0.0.0.0"
graphql-http-port = 8547
graphql-http-cors-origins = ["*"]
metrics-enabled = true
metrics-host = "0.0.0.0"
metrics-port = 9545
permissions-nodes-config-file-enabled = true
permissions-nodes-config-file = "/config/permissions_config.toml"
bootnodes = ["${NODE}"]`,
    refused: [],
  },
  {
    network: 'Linea, basic',
    toml: `genesis-file = "genesis/genesis.json"
sync-mode = "FULL"
data-storage-format = "BONSAI"
Xsnapsync-synchronizer-flat-db-healing-enabled = true
bootnodes = ["${NODE}"]
min-gas-price = 1000
host-whitelist = ["*"]
rpc-http-enabled = true
rpc-http-host = "0.0.0.0"
rpc-http-port = 8545
rpc-http-api = ["ADMIN", "NET", "ETH", "WEB3", "TXPOOL"]
rpc-http-cors-origins = ["all"]
rpc-http-max-active-connections = 20000
rpc-ws-enabled = true
rpc-ws-api = ["NET", "ETH", "WEB3"]
rpc-ws-host = "0.0.0.0"
rpc-ws-port = 8546
graphql-http-enabled = true
graphql-http-host = "0.0.0.0"
graphql-http-port = 8547
graphql-http-cors-origins = ["all"]
p2p-port = 30303
fast-sync-min-peers = 1
Xeth-capability-max = 67
metrics-enabled = true
metrics-host = "0.0.0.0"
metrics-port = 9545
Xplugins-external-enabled = false`,
    refused: [],
  },
  {
    network: 'Linea, advanced',
    toml: `data-path = "data"
data-storage-format = "BONSAI"
bootnodes = ["${NODE}"]
static-nodes-file = "config/static-nodes.json"
host-whitelist = ["*"]
discovery-enabled = true
p2p-host = "0.0.0.0"
p2p-port = 30303
max-peers = 50
node-private-key-file = "data/key"
genesis-file = "genesis/genesis.json"
sync-mode = "SNAP"
Xsnapsync-synchronizer-flat-db-healing-enabled = true
tx-pool-enable-save-restore = true
tx-pool-disable-locals = true
tx-pool-price-bump = 1
tx-pool-max-future-by-sender = 1000
tx-pool-min-gas-price = "50000000"
tx-pool-layer-max-capacity = "100000000"
tx-pool-priority-senders = ["0x${'ab'.repeat(20)}", "0x${'cd'.repeat(20)}"]
tx-pool-no-local-priority = true
rpc-http-enabled = true
rpc-http-host = "0.0.0.0"
rpc-http-port = 8545
rpc-http-api = ["ETH", "NET", "WEB3", "DEBUG", "TRACE", "TXPOOL", "LINEA", "MINER"]
rpc-http-cors-origins = ["all"]
rpc-ws-enabled = true
rpc-ws-api = ["ETH", "NET", "WEB3"]
rpc-ws-host = "0.0.0.0"
rpc-ws-port = 8546
graphql-http-enabled = true
graphql-http-host = "0.0.0.0"
graphql-http-port = 8547
graphql-http-cors-origins = ["all"]
api-gas-price-blocks = 20
api-gas-price-percentile = 60
api-gas-and-priority-fee-limiting-enabled = true
api-gas-and-priority-fee-lower-bound-coefficient = "120"
Xplugin-rocksdb-high-spec-enabled = true
metrics-enabled = true
metrics-host = "0.0.0.0"
metrics-port = 9545
engine-jwt-disabled = false
engine-jwt-secret = "/etc/jwt-secret.hex"
engine-rpc-enabled = false
engine-rpc-port = 8551
engine-host-allowlist = ["*"]
min-gas-price = "100000000"
target-gas-limit = "61000000"
plugins = ["LineaEstimateGasEndpointPlugin", "L1FinalizationTagUpdaterPlugin"]
plugin-linea-max-tx-calldata-size = 60000
Xin-process-rpc-enabled = true
Xin-process-rpc-apis = ["MINER"]`,
    refused: [
      'api-gas-and-priority-fee-limiting-enabled',
      'engine-jwt-secret',
      'engine-host-allowlist',
      'plugins',
      'plugin-linea-max-tx-calldata-size',
      'Xin-process-rpc-enabled',
      'Xin-process-rpc-apis',
    ],
    others: ["Invalid value for option '--rpc-http-api': invalid entries found [LINEA]"],
  },
  {
    network: 'Alastria, a member',
    toml: `bootnodes = ["${NODE}"]
logging = "INFO"
discovery-enabled = false
permissions-accounts-contract-address = "0x${'0'.repeat(36)}8888"
permissions-accounts-contract-enabled = false
permissions-nodes-contract-address = "0x${'0'.repeat(36)}9999"
permissions-nodes-contract-enabled = false
data-path = "/data"
node-private-key-file = "/data/key"
genesis-file = "/data/genesis.json"
min-gas-price = 0
rpc-http-enabled = true
rpc-http-host = "127.0.0.1"
rpc-http-api = ["ETH", "NET", "WEB3", "ADMIN"]
metrics-enabled = true
metrics-host = "0.0.0.0"
metrics-port = "9545"`,
    refused: ['permissions-accounts-contract-address', 'permissions-nodes-contract-address'],
  },
  {
    network: 'Alastria, a validator',
    toml: `data-path = "/data/validator"
logging = "INFO"
bootnodes = ["${NODE}"]
node-private-key-file = "/data/validator/key"
discovery-enabled = false
compatibility-eth64-forkid-enabled = true
permissions-accounts-contract-address = "0x${'0'.repeat(36)}8888"
permissions-accounts-contract-enabled = false
permissions-nodes-contract-address = "0x${'0'.repeat(36)}9999"
permissions-nodes-contract-enabled = true
genesis-file = "/data/genesis.json"
min-gas-price = 0
rpc-http-api = ["ETH", "NET", "WEB3", "ADMIN", "IBFT"]
rpc-http-enabled = true
rpc-http-host = "0.0.0.0"
host-whitelist = ["*"]
rpc-ws-enabled = true
metrics-enabled = true
metrics-host = "0.0.0.0"
metrics-port = "9545"`,
    refused: [
      'permissions-accounts-contract-address',
      'permissions-nodes-contract-address',
      'permissions-nodes-contract-enabled',
    ],
  },
  {
    network: 'LACChain, a validator',
    toml: `rpc-http-enabled = true
rpc-http-port = 4545
rpc-ws-enabled = true
rpc-ws-port = 4546
rpc-http-api = "ETH,NET,IBFT,EEA,PRIV"
privacy-enabled = true
privacy-url = "http://127.0.0.1:4444"
privacy-public-key-file = "/root/nodeKey.pub"
p2p-host = "0.0.0.0"
p2p-port = 60606
bootnodes = ["${NODE}"]
min-gas-price = 0`,
    refused: ['privacy-enabled', 'privacy-url', 'privacy-public-key-file'],
    others: ["Invalid value for 'rpc-http-api' in TOML configuration file: expected an array of strings"],
  },
]
