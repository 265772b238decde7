import type { BesuOptions } from './besuOption.ts'

const LISTENER_TLS = 'TLS reads PEM files here'

/** Options of Besu that are refused, except with the values behind `=`, which include Besu's default. */
export const REFUSED_OPTIONS: readonly BesuOptions[] = [
  {
    names: 'data-storage-format=bonsai|forest|x_bonsai_archive key-value-storage=rocksdb',
    meaning:
      'this node stores blocks and states in its own format, chosen with --storage, and keeps all history unless --prune-history=<BLOCKS> is given',
    refusal: 'choose the storage with --storage',
  },
  {
    names: 'network=mainnet|dev',
    meaning: '--genesis-file chooses the network; without it a development chain runs',
    refusal: 'it is a public network of another consensus: give --genesis-file of a QBFT network',
  },
  {
    names: 'tx-pool=layered|sequenced',
    meaning: 'there is one kind of pool: the limits of both kinds count',
    refusal: 'there is one kind of transaction pool, to which the limits of layered and sequenced apply',
  },
  {
    names: 'nat-method=auto|docker|kubernetes|none',
    meaning: 'other nodes dial the address of --p2p-host, which may be a host name',
    refusal:
      'this node does not configure port forwarding: forward --p2p-port on the router, and give its external address with --p2p-host',
  },
  {
    names: 'discovery-mode=v4|v5|both',
    meaning: 'nodes are found through connected peers, and with --p2p-protocol=devp2p through discovery v4',
    refusal: 'Besu has no such mode',
  },
  {
    names: 'p2p-discovery-port p2p-discovery-port-ipv6=30404',
    meaning: 'discovery uses the port of --p2p-port',
    refusal: 'discovery uses the UDP port of --p2p-port',
  },
  {
    names: 'discovery-dns-url',
    meaning: '',
    refusal: 'nodes are not listed in the DNS: give --bootnodes or --static-nodes-file with host names',
  },
  {
    names: 'checkpoint',
    meaning: '',
    refusal: 'this node trusts no checkpoint: it checks every block from the genesis block on',
  },
  {
    names: `engine-rpc-enabled!=false engine-rpc-port=8551 engine-rpc-http-port=8551 engine-jwt-disabled!=false
      engine-jwt-secret engine-host-allowlist=localhost,127.0.0.1`,
    meaning: 'QBFT needs no engine API',
    refusal: 'the engine API belongs to proof of stake, and QBFT needs none',
  },
  {
    names: 'ethstats ethstats-contact ethstats-cacert-file ethstats-report-interval=5',
    meaning: 'this node reports to no ethstats server',
    refusal: 'this node reports to no ethstats server: use --metrics-enabled with Prometheus and Grafana',
  },
  {
    names: 'plugins plugins-verification-mode=none',
    meaning: 'this node loads no plugins',
    refusal: 'this node loads no plugins',
  },
  {
    names: 'override-genesis-config',
    meaning: '',
    refusal: 'all nodes of a network must agree: write the change into the genesis file',
  },
  {
    names: 'print-paths-and-exit!=false',
    meaning: 'all files are in --data-path',
    refusal: 'all files of a node are in --data-path',
  },
  {
    names: 'api-gas-and-priority-fee-limiting-enabled!=false',
    meaning: 'the fees that are suggested are not limited by the block before',
    refusal: 'limit the suggested gas price with --api-gas-price-max',
  },
  {
    names:
      'Xin-process-rpc-enabled!=false Xin-process-rpc-api=eth,net,web3 Xin-process-rpc-apis=eth,net,web3',
    meaning: 'this node loads no plugins',
    refusal: 'it serves plugins, and this node loads none',
  },
  {
    names: `privacy-enabled!=false privacy-enable-database-migration!=false
      privacy-flexible-groups-enabled!=false privacy-marker-transaction-signing-key-file
      privacy-multi-tenancy-enabled!=false privacy-public-key-file privacy-tls-enabled!=false
      privacy-tls-keystore-file privacy-tls-keystore-password-file privacy-tls-known-enclave-file
      privacy-url=http://localhost:8888`,
    meaning: 'there are no private transactions',
    refusal:
      'this node has no private transactions, which Besu removed, too. Move their data out of the chain, or to a chain of those who may see it',
  },
  {
    names: 'permissions-accounts-contract-enabled!=false permissions-accounts-contract-address',
    meaning: 'no contract decides about accounts',
    refusal: 'give the address of the contract with --permissions-accounts-contract=<ADDRESS> instead',
  },
  {
    names: `permissions-nodes-contract-enabled!=false permissions-nodes-contract-address
      permissions-nodes-contract-version=1`,
    meaning: 'no contract decides about nodes',
    refusal:
      'no contract decides about nodes: list them in --permissions-nodes-config-file, which perm_addNodesToAllowlist changes',
  },
  {
    names: 'miner-stratum-enabled!=false miner-stratum-host=0.0.0.0 miner-stratum-port=8008',
    meaning: 'QBFT has no proof of work',
    refusal: 'QBFT has no proof of work',
  },
  {
    names:
      'rpc-http-tls-protocol=tlsv1.3,tlsv1.2|tlsv1.2,tlsv1.3 rpc-http-tls-protocols=tlsv1.3,tlsv1.2|tlsv1.2,tlsv1.3',
    meaning: 'TLS 1.2 and 1.3 are supported',
    refusal: 'TLS 1.2 and 1.3 are supported; a proxy in front of the port can narrow that',
  },
  {
    names: 'rpc-http-tls-cipher-suite rpc-http-tls-cipher-suites',
    meaning: '',
    refusal: 'the cipher suites are those of the runtime; a proxy in front of the port can narrow them',
  },
  {
    names: `rpc-http-tls-known-clients-file rpc-http-tls-truststore-file rpc-http-tls-truststore-password-file`,
    meaning: '',
    refusal: `${LISTENER_TLS}: give the authorities of client certificates with --rpc-http-tls-trustcert-file`,
  },
  {
    names: `rpc-ws-ssl-truststore-file rpc-ws-ssl-truststore-password rpc-ws-ssl-truststore-password-file
      rpc-ws-ssl-truststore-type=jks|pem`,
    meaning: 'TLS reads PEM files',
    refusal: `${LISTENER_TLS}: give the authorities of client certificates with --rpc-ws-ssl-trustcert-file`,
  },
  {
    names: 'graphql-tls-truststore-file graphql-tls-truststore-password-file',
    meaning: '',
    refusal: `${LISTENER_TLS}: give the authorities of client certificates with --graphql-tls-trustcert-file`,
  },
  {
    names: 'run!=false format=rlp skip-pow-validation-enabled!=true start-time',
    meaning: 'the import is of RLP blocks, which are all checked',
    refusal: 'blocks are imported from RLP files and checked in full',
  },
]
