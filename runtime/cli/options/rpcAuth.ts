import { checkProxies, parseAlgorithm } from '../authValues.ts'
import { booleanOption, customOption, listOption, type OptionTable, pathOption } from '../option.ts'

const AUTH = 'Login and tokens'

const NONE: readonly string[] = []

/** Whether they are methods is seen when a node starts, which knows them all. */
const checkMethods = (entries: readonly string[]): readonly string[] => entries.filter(entry => entry !== '')

const enabled = (name: string, where: string) =>
  booleanOption({
    name,
    group: AUTH,
    fallback: false,
    description: `Ask for a token with each request for JSON-RPC over ${where}`,
  })

const credentialsFile = (name: string, where: string) =>
  pathOption({
    name,
    group: AUTH,
    fallback: undefined,
    description: `TOML file of the users who may log in with POST /login on the ${where} port`,
  })

const publicKeyFile = (name: string, where: string) =>
  pathOption({
    name,
    group: AUTH,
    fallback: undefined,
    description: `PEM file of the key that verifies tokens which others issue, for ${where}`,
  })

const algorithm = (name: string, where: string) =>
  customOption({
    name,
    group: AUTH,
    fallback: 'RS256' as const,
    placeholder: '<ALGORITHM>',
    parse: parseAlgorithm,
    description: `What those tokens are signed with: RS256, RS384, RS512, ES256, ES384 or ES512, for ${where}`,
  })

const openMethods = (name: string, alias: string, where: string) =>
  listOption({
    name,
    aliases: [alias],
    group: AUTH,
    fallback: NONE,
    shownDefault: 'none',
    check: checkMethods,
    description: `Methods of ${where} that need no token`,
  })

/** Of the HTTP port. */
export const HTTP_AUTH_OPTIONS = {
  rpcHttpAuthenticationEnabled: enabled('rpc-http-authentication-enabled', 'HTTP'),
  rpcHttpAuthenticationCredentialsFile: credentialsFile('rpc-http-authentication-credentials-file', 'HTTP'),
  rpcHttpAuthenticationJwtPublicKeyFile: publicKeyFile('rpc-http-authentication-jwt-public-key-file', 'HTTP'),
  rpcHttpAuthenticationJwtAlgorithm: algorithm('rpc-http-authentication-jwt-algorithm', 'HTTP'),
  rpcHttpApiMethodsNoAuth: openMethods('rpc-http-api-methods-no-auth', 'rpc-http-api-method-no-auth', 'HTTP'),
} satisfies OptionTable

/** Of the WebSocket port. */
export const WS_AUTH_OPTIONS = {
  rpcWsAuthenticationEnabled: enabled('rpc-ws-authentication-enabled', 'WebSocket'),
  rpcWsAuthenticationCredentialsFile: credentialsFile('rpc-ws-authentication-credentials-file', 'WebSocket'),
  rpcWsAuthenticationJwtPublicKeyFile: publicKeyFile(
    'rpc-ws-authentication-jwt-public-key-file',
    'WebSocket',
  ),
  rpcWsAuthenticationJwtAlgorithm: algorithm('rpc-ws-authentication-jwt-algorithm', 'WebSocket'),
  rpcWsApiMethodsNoAuth: openMethods('rpc-ws-api-methods-no-auth', 'rpc-ws-api-method-no-auth', 'WebSocket'),
  rpcWsAuthenticationSubprotocolEnabled: booleanOption({
    name: 'rpc-ws-authentication-subprotocol-enabled',
    group: AUTH,
    fallback: false,
    description:
      "Also take a token as the subprotocol behind 'bearer', for browsers, which cannot set headers",
  }),
} satisfies OptionTable

/** Of all ports. */
export const PROXY_OPTIONS = {
  rpcTrustedProxies: listOption({
    name: 'rpc-trusted-proxies',
    group: AUTH,
    fallback: NONE,
    shownDefault: 'none',
    check: checkProxies,
    description: 'Addresses or networks of proxies whose X-Forwarded-For is believed, for limits and the log',
  }),
} satisfies OptionTable
