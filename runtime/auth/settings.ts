import type { Algorithm } from '../../handlers/auth/algorithms.ts'
import type { NodeOptions } from '../cli/nodeOptions.ts'

/** The authentication of one port as the options ask for it. */
export type AuthSettings = {
  /** As Besu's messages call it. */
  readonly port: 'HTTP' | 'WS'
  /** As its options begin. */
  readonly flag: 'rpc-http' | 'rpc-ws'
  readonly enabled: boolean
  readonly credentialsFile: string | undefined
  readonly publicKeyFile: string | undefined
  readonly algorithm: Algorithm
  /** Methods that need no token. */
  readonly openMethods: readonly string[]
  readonly acceptsSubprotocol: boolean
}

export const httpAuthSettings = (options: NodeOptions): AuthSettings => ({
  port: 'HTTP',
  flag: 'rpc-http',
  enabled: options.rpcHttpAuthenticationEnabled,
  credentialsFile: options.rpcHttpAuthenticationCredentialsFile,
  publicKeyFile: options.rpcHttpAuthenticationJwtPublicKeyFile,
  algorithm: options.rpcHttpAuthenticationJwtAlgorithm,
  openMethods: options.rpcHttpApiMethodsNoAuth,
  acceptsSubprotocol: false,
})

export const wsAuthSettings = (options: NodeOptions): AuthSettings => ({
  port: 'WS',
  flag: 'rpc-ws',
  enabled: options.rpcWsAuthenticationEnabled,
  credentialsFile: options.rpcWsAuthenticationCredentialsFile,
  publicKeyFile: options.rpcWsAuthenticationJwtPublicKeyFile,
  algorithm: options.rpcWsAuthenticationJwtAlgorithm,
  openMethods: options.rpcWsApiMethodsNoAuth,
  acceptsSubprotocol: options.rpcWsAuthenticationSubprotocolEnabled,
})
