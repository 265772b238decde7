import { checkProxies, parseAlgorithm } from '../values/auth.ts'
import {
  booleanOption,
  customOption,
  listOption,
  type OptionTable,
  pathOption,
  textOption,
} from '../option.ts'

const AUTH = 'Login and tokens'

const NONE: readonly string[] = []

/** The node checks the names of methods when it starts. */
const checkMethods = (entries: readonly string[]): readonly string[] => entries.filter(entry => entry !== '')

const enabled = (name: string, where: string) =>
  booleanOption({
    name,
    group: AUTH,
    fallback: false,
    description: `Require a token with each JSON-RPC request over ${where}`,
  })

const credentialsFile = (name: string, where: string) =>
  pathOption({
    name,
    group: AUTH,
    fallback: undefined,
    description: `TOML file of users who may log in with POST /login on the ${where} port`,
  })

const publicKeyFile = (name: string, where: string) =>
  pathOption({
    name,
    group: AUTH,
    fallback: undefined,
    description: `PEM file of the public key that verifies tokens of another issuer, for ${where}`,
  })

const algorithm = (name: string, where: string) =>
  customOption({
    name,
    group: AUTH,
    fallback: 'RS256' as const,
    placeholder: '<ALGORITHM>',
    parse: parseAlgorithm,
    description: `Signature algorithm of those tokens, for ${where}: RS256, RS384, RS512, ES256, ES384 or ES512`,
  })

const claim = (name: string, description: string) =>
  textOption({ name, group: AUTH, fallback: undefined, placeholder: '<NAME>', description })

const issuer = (name: string, where: string) =>
  claim(name, `Issuer (iss) that tokens must name, for ${where}; any by default`)

const audience = (name: string, where: string) =>
  claim(name, `Audience (aud) that tokens must name, for ${where}; any by default`)

const jwks = (name: string, where: string) =>
  textOption({
    name,
    group: AUTH,
    fallback: undefined,
    placeholder: '<FILE|URL>',
    description: `JSON Web Key Set that verifies tokens of another issuer, for ${where}; changes are followed`,
  })

const openMethods = (name: string, alias: string, where: string) =>
  listOption({
    name,
    aliases: [alias],
    group: AUTH,
    fallback: NONE,
    shownDefault: 'none',
    check: checkMethods,
    description: `Methods over ${where} that need no token`,
  })

/** Authentication on the HTTP port. */
export const HTTP_AUTH_OPTIONS = {
  rpcHttpAuthenticationEnabled: enabled('rpc-http-authentication-enabled', 'HTTP'),
  rpcHttpAuthenticationCredentialsFile: credentialsFile('rpc-http-authentication-credentials-file', 'HTTP'),
  rpcHttpAuthenticationJwtPublicKeyFile: publicKeyFile('rpc-http-authentication-jwt-public-key-file', 'HTTP'),
  rpcHttpAuthenticationJwks: jwks('rpc-http-authentication-jwks', 'HTTP'),
  rpcHttpAuthenticationJwtAlgorithm: algorithm('rpc-http-authentication-jwt-algorithm', 'HTTP'),
  rpcHttpAuthenticationJwtIssuer: issuer('rpc-http-authentication-jwt-issuer', 'HTTP'),
  rpcHttpAuthenticationJwtAudience: audience('rpc-http-authentication-jwt-audience', 'HTTP'),
  rpcHttpApiMethodsNoAuth: openMethods('rpc-http-api-methods-no-auth', 'rpc-http-api-method-no-auth', 'HTTP'),
} satisfies OptionTable

/** Authentication on the WebSocket port. */
export const WS_AUTH_OPTIONS = {
  rpcWsAuthenticationEnabled: enabled('rpc-ws-authentication-enabled', 'WebSocket'),
  rpcWsAuthenticationCredentialsFile: credentialsFile('rpc-ws-authentication-credentials-file', 'WebSocket'),
  rpcWsAuthenticationJwtPublicKeyFile: publicKeyFile(
    'rpc-ws-authentication-jwt-public-key-file',
    'WebSocket',
  ),
  rpcWsAuthenticationJwks: jwks('rpc-ws-authentication-jwks', 'WebSocket'),
  rpcWsAuthenticationJwtAlgorithm: algorithm('rpc-ws-authentication-jwt-algorithm', 'WebSocket'),
  rpcWsAuthenticationJwtIssuer: issuer('rpc-ws-authentication-jwt-issuer', 'WebSocket'),
  rpcWsAuthenticationJwtAudience: audience('rpc-ws-authentication-jwt-audience', 'WebSocket'),
  rpcWsApiMethodsNoAuth: openMethods('rpc-ws-api-methods-no-auth', 'rpc-ws-api-method-no-auth', 'WebSocket'),
  rpcWsAuthenticationSubprotocolEnabled: booleanOption({
    name: 'rpc-ws-authentication-subprotocol-enabled',
    group: AUTH,
    fallback: false,
    description:
      "Also accept a token as the subprotocol after 'bearer', for browsers, which cannot set headers",
  }),
} satisfies OptionTable

/** Proxies in front of all ports. */
export const PROXY_OPTIONS = {
  rpcTrustedProxies: listOption({
    name: 'rpc-trusted-proxies',
    group: AUTH,
    fallback: NONE,
    shownDefault: 'none',
    check: checkProxies,
    description:
      'Addresses or networks of proxies whose X-Forwarded-For header is trusted, for limits and the log',
  }),
} satisfies OptionTable
