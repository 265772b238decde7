import type { Algorithm } from '../../handlers/auth/keys/algorithms.ts'
import type { ExpectedClaims } from '../../handlers/auth/tokens/claims.ts'
import type { NodeOptions } from '../cli/nodeOptions.ts'

/** The authentication options of one port. */
export type AuthSettings = {
  /** Name of the port in Besu's messages. */
  readonly port: 'HTTP' | 'WS'
  /** Prefix of the options. */
  readonly flag: 'rpc-http' | 'rpc-ws'
  readonly enabled: boolean
  readonly credentialsFile: string | undefined
  readonly publicKeyFile: string | undefined
  /** File or URL of a JSON Web Key Set. */
  readonly jwks: string | undefined
  readonly algorithm: Algorithm
  readonly expectedClaims: ExpectedClaims
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
  jwks: options.rpcHttpAuthenticationJwks,
  algorithm: options.rpcHttpAuthenticationJwtAlgorithm,
  expectedClaims: {
    issuer: options.rpcHttpAuthenticationJwtIssuer,
    audience: options.rpcHttpAuthenticationJwtAudience,
  },
  openMethods: options.rpcHttpApiMethodsNoAuth,
  acceptsSubprotocol: false,
})

export const wsAuthSettings = (options: NodeOptions): AuthSettings => ({
  port: 'WS',
  flag: 'rpc-ws',
  enabled: options.rpcWsAuthenticationEnabled,
  credentialsFile: options.rpcWsAuthenticationCredentialsFile,
  publicKeyFile: options.rpcWsAuthenticationJwtPublicKeyFile,
  jwks: options.rpcWsAuthenticationJwks,
  algorithm: options.rpcWsAuthenticationJwtAlgorithm,
  expectedClaims: {
    issuer: options.rpcWsAuthenticationJwtIssuer,
    audience: options.rpcWsAuthenticationJwtAudience,
  },
  openMethods: options.rpcWsApiMethodsNoAuth,
  acceptsSubprotocol: options.rpcWsAuthenticationSubprotocolEnabled,
})

/** Whether an option of authentication has to be checked or has an effect. */
export const hasAuthSettings = (options: NodeOptions): boolean =>
  [httpAuthSettings(options), wsAuthSettings(options)].some(
    ({ enabled, openMethods }) => enabled || openMethods.length > 0,
  )
