import type { NodeOptions } from '../../cli/nodeOptions.ts'

/** The TLS options of one port. */
export type TlsSettings = {
  readonly where: 'JSON-RPC over HTTP' | 'JSON-RPC over WebSocket' | 'GraphQL'
  /** Prefix of the options. */
  readonly flag: 'rpc-http-tls' | 'rpc-ws-ssl' | 'graphql-tls'
  readonly enabled: boolean
  readonly certFile: string | undefined
  readonly keyFile: string | undefined
  readonly keystoreFile: string | undefined
  readonly passwordFile: string | undefined
  readonly password?: string | undefined
  readonly isJks: boolean
  readonly clientAuth: boolean
  readonly clientAuthFlag: string
  /** PEM file of the authorities of client certificates. */
  readonly authoritiesFile: string | undefined
  /** Whether the authorities that the runtime trusts count too. */
  readonly usesSystemAuthorities: boolean
}

export const httpTls = (options: NodeOptions): TlsSettings => ({
  where: 'JSON-RPC over HTTP',
  flag: 'rpc-http-tls',
  enabled: options.rpcHttpTlsEnabled,
  certFile: options.rpcHttpTlsCertFile,
  keyFile: options.rpcHttpTlsKeyFile,
  keystoreFile: options.rpcHttpTlsKeystoreFile,
  passwordFile: options.rpcHttpTlsKeystorePasswordFile,
  isJks: false,
  clientAuth: options.rpcHttpTlsClientAuthEnabled,
  clientAuthFlag: 'rpc-http-tls-client-auth-enabled',
  authoritiesFile: options.rpcHttpTlsTrustcertFile,
  usesSystemAuthorities: options.rpcHttpTlsCaClientsEnabled,
})

export const wsTls = (options: NodeOptions): TlsSettings => ({
  where: 'JSON-RPC over WebSocket',
  flag: 'rpc-ws-ssl',
  enabled: options.rpcWsSslEnabled,
  certFile: options.rpcWsSslCertFile,
  keyFile: options.rpcWsSslKeyFile,
  keystoreFile: options.rpcWsSslKeystoreFile,
  passwordFile: options.rpcWsSslKeystorePasswordFile,
  password: options.rpcWsSslKeystorePassword,
  isJks: options.rpcWsSslKeystoreFile !== undefined && options.rpcWsSslKeystoreType === 'JKS',
  clientAuth: options.rpcWsSslClientAuthEnabled,
  clientAuthFlag: 'rpc-ws-ssl-client-auth-enabled',
  authoritiesFile: options.rpcWsSslTrustcertFile,
  usesSystemAuthorities: false,
})

export const graphqlTls = (options: NodeOptions): TlsSettings => ({
  where: 'GraphQL',
  flag: 'graphql-tls',
  enabled: options.graphqlTlsEnabled,
  certFile: options.graphqlTlsCertFile,
  keyFile: options.graphqlTlsKeyFile,
  keystoreFile: options.graphqlTlsKeystoreFile,
  passwordFile: options.graphqlTlsKeystorePasswordFile,
  isJks: false,
  clientAuth: options.graphqlMtlsEnabled,
  clientAuthFlag: 'graphql-mtls-enabled',
  authoritiesFile: options.graphqlTlsTrustcertFile,
  usesSystemAuthorities: false,
})
