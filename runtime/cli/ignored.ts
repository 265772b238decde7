import { enabledBy } from './enabled.ts'
import type { NodeOptions } from './nodeOptions.ts'
import type { OptionTable } from './option.ts'
import { BLOCK_OPTIONS } from './options/blocks.ts'
import { GRAPHQL_OPTIONS } from './options/graphql.ts'
import { IPC_OPTIONS } from './options/ipc.ts'
import { METRICS_OPTIONS } from './options/metrics.ts'
import { PERMISSION_OPTIONS } from './options/permissions.ts'
import { NODE_BASE_OPTIONS } from './options/node.ts'
import { P2P_OPTIONS } from './options/p2p.ts'
import { RPC_OPTIONS, SHARED_RPC_OPTIONS } from './options/rpc.ts'
import { HTTP_AUTH_OPTIONS, PROXY_OPTIONS, WS_AUTH_OPTIONS } from './options/rpcAuth.ts'
import { GRAPHQL_TLS_OPTIONS, HTTP_TLS_OPTIONS, WS_TLS_OPTIONS } from './options/tls.ts'
import { SIGNING_OPTIONS } from './options/signing.ts'
import { WS_OPTIONS } from './options/ws.ts'
import type { Sources } from './sources/resolve.ts'

/** Given options without effect, and the option that would enable them. */
export type Ignored = { readonly ignored: string; readonly parent: string }

/** Options that have an effect only if another option is on. */
type Dependents = {
  readonly parent: string
  readonly isOn: boolean
  readonly tables: readonly OptionTable[]
}

type Given = { readonly options: NodeOptions; readonly sources: Sources }

/** Options of the services; an option whose parent has no effect itself is reported with the parent's parent. */
const serviceDependents = (options: NodeOptions): readonly Dependents[] => {
  const { http, p2p } = enabledBy(options)
  const { rpcWsEnabled, graphqlHttpEnabled } = options
  // The WebSocket and GraphQL ports listen on this host by default.
  const { p2pHost: _, ...p2pTable } = P2P_OPTIONS
  // These origins are also allowed for WebSocket.
  const { rpcHttpCorsOrigins, ...rpcHttp } = RPC_OPTIONS
  return [
    { parent: 'p2p-enabled', isOn: p2p, tables: [p2pTable] },
    {
      parent: 'p2p-host-ipv6',
      isOn: options.p2pHostIpv6 !== undefined,
      tables: [{ interface: P2P_OPTIONS.p2pInterfaceIpv6, port: P2P_OPTIONS.p2pPortIpv6 }],
    },
    { parent: 'rpc-http-enabled', isOn: http, tables: [rpcHttp, HTTP_AUTH_OPTIONS, HTTP_TLS_OPTIONS] },
    { parent: 'rpc-http-enabled', isOn: http || rpcWsEnabled, tables: [{ rpcHttpCorsOrigins }] },
    {
      parent: 'rpc-http-enabled',
      isOn: http || rpcWsEnabled || graphqlHttpEnabled,
      tables: [SHARED_RPC_OPTIONS],
    },
    { parent: 'rpc-ws-enabled', isOn: rpcWsEnabled, tables: [WS_OPTIONS, WS_AUTH_OPTIONS, WS_TLS_OPTIONS] },
    {
      parent: 'graphql-http-enabled',
      isOn: graphqlHttpEnabled,
      tables: [GRAPHQL_OPTIONS, GRAPHQL_TLS_OPTIONS],
    },
    { parent: 'Xrpc-ipc-enabled', isOn: options.xRpcIpcEnabled, tables: [IPC_OPTIONS] },
    { parent: 'rpc-http-tls-enabled', isOn: options.rpcHttpTlsEnabled, tables: [HTTP_TLS_OPTIONS] },
    { parent: 'rpc-ws-ssl-enabled', isOn: options.rpcWsSslEnabled, tables: [WS_TLS_OPTIONS] },
    { parent: 'graphql-tls-enabled', isOn: options.graphqlTlsEnabled, tables: [GRAPHQL_TLS_OPTIONS] },
  ]
}

/** Options of files and of metrics, and of blocks of networks. */
const fileDependents = (options: NodeOptions): readonly Dependents[] => {
  const { metricsHost, metricsPort, metricsCategories, metricsProtocol } = METRICS_OPTIONS
  const { metricsPushHost, metricsPushPort, metricsPushInterval, metricsPushPrometheusJob } = METRICS_OPTIONS
  return [
    {
      // Gas alone bounds the blocks of a development chain.
      parent: 'genesis-file',
      isOn: options.genesisFile !== undefined,
      tables: [{ time: BLOCK_OPTIONS.poaBlockTxsSelectionMaxTime }],
    },
    {
      parent: 'tx-pool-enable-save-restore',
      isOn: options.txPoolEnableSaveRestore,
      tables: [{ file: BLOCK_OPTIONS.txPoolSaveFile }],
    },
    {
      parent: 'permissions-nodes-config-file-enabled',
      isOn: options.permissionsNodesConfigFileEnabled,
      tables: [{ file: PERMISSION_OPTIONS.permissionsNodesConfigFile }],
    },
    {
      parent: 'permissions-accounts-config-file-enabled',
      isOn: options.permissionsAccountsConfigFileEnabled,
      tables: [{ file: PERMISSION_OPTIONS.permissionsAccountsConfigFile }],
    },
    {
      parent: 'log-file',
      isOn: options.logFile !== undefined,
      tables: [{ size: NODE_BASE_OPTIONS.logFileMaxSize, count: NODE_BASE_OPTIONS.logFileCount }],
    },
    { parent: 'metrics-enabled', isOn: options.metricsEnabled, tables: [{ metricsHost, metricsPort }] },
    {
      parent: 'metrics-protocol=PROMETHEUS',
      isOn: !options.metricsEnabled || options.metricsProtocol !== 'OPENTELEMETRY',
      tables: [{ metricsHost, metricsPort }],
    },
    {
      parent: 'metrics-enabled',
      isOn: options.metricsEnabled || options.metricsPushEnabled,
      tables: [{ metricsCategories, metricsProtocol }],
    },
    {
      parent: 'metrics-push-enabled',
      isOn: options.metricsPushEnabled,
      tables: [{ metricsPushHost, metricsPushPort, metricsPushInterval, metricsPushPrometheusJob }],
    },
  ]
}

/** Options of the security modules. */
const keyDependents = ({ securityModule }: NodeOptions): readonly Dependents[] => {
  const { securityModule: _, unsafeKeyPermissions: __, ...options } = SIGNING_OPTIONS
  const { keystoreFile, keystorePasswordFile, ...remote } = options
  return [
    {
      parent: 'security-module=keystore',
      isOn: securityModule === 'keystore',
      tables: [{ keystoreFile, keystorePasswordFile }],
    },
    { parent: 'security-module=remote', isOn: securityModule === 'remote', tables: [remote] },
  ]
}

/** Options of login and tokens. */
const authDependents = (options: NodeOptions): readonly Dependents[] => {
  const { rpcHttpAuthenticationJwtAlgorithm, ...httpAuth } = HTTP_AUTH_OPTIONS
  const { rpcWsAuthenticationJwtAlgorithm, ...wsAuth } = WS_AUTH_OPTIONS
  return [
    {
      parent: 'rpc-http-authentication-enabled',
      isOn: options.rpcHttpAuthenticationEnabled,
      tables: [httpAuth],
    },
    {
      parent: 'rpc-http-authentication-jwt-public-key-file',
      isOn: options.rpcHttpAuthenticationJwtPublicKeyFile !== undefined,
      tables: [{ rpcHttpAuthenticationJwtAlgorithm }],
    },
    {
      parent: 'rpc-http-authentication-enabled',
      isOn: options.rpcHttpAuthenticationEnabled || options.rpcWsAuthenticationEnabled,
      tables: [PROXY_OPTIONS],
    },
    { parent: 'rpc-ws-authentication-enabled', isOn: options.rpcWsAuthenticationEnabled, tables: [wsAuth] },
    {
      parent: 'rpc-ws-authentication-jwt-public-key-file',
      isOn: options.rpcWsAuthenticationJwtPublicKeyFile !== undefined,
      tables: [{ rpcWsAuthenticationJwtAlgorithm }],
    },
  ]
}

const dependentsOf = (options: NodeOptions): readonly Dependents[] => [
  ...serviceDependents(options),
  ...fileDependents(options),
  ...authDependents(options),
  ...keyDependents(options),
]

/** The given options that have no effect, each once. */
export const ignoredOptions = ({ options, sources }: Given): readonly Ignored[] => {
  const reported = new Set<string>()
  return dependentsOf(options).flatMap(({ parent, isOn, tables }) => {
    if (isOn) return []
    const names = tables
      .flatMap(table => Object.values(table))
      .map(({ name }) => name)
      .filter(name => name !== parent && sources.has(name) && !reported.has(name))
    for (const name of names) reported.add(name)
    return names.length === 0
      ? []
      : [{ ignored: names.map(name => `--${name}`).join(', '), parent: `--${parent}` }]
  })
}
