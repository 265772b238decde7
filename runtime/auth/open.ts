import { type AuditLog, createAudit } from '../../handlers/auth/audit.ts'
import { type Authentication, NO_AUTHENTICATION } from '../../handlers/auth/authentication.ts'
import { type ClientOf, createClientOf } from '../../handlers/auth/client.ts'
import { createAuthentication } from '../../handlers/auth/createAuthentication.ts'
import { parseIpNetwork } from '../../handlers/auth/ipAddress.ts'
import { createIssuer } from '../../handlers/auth/login/issuer.ts'
import { KeySetError, parseKeySet } from '../../handlers/auth/keys/keySet.ts'
import { createLogin } from '../../handlers/auth/login/login.ts'
import { createLoginLimits } from '../../handlers/auth/login/loginLimits.ts'
import { parsePublicKey, type PublicKey, PublicKeyError } from '../../handlers/auth/keys/publicKey.ts'
import { createVerifySignature } from '../../handlers/auth/tokens/verifyToken.ts'
import { isKnownMethod } from '../../handlers/rpc/dispatch/knownMethods.ts'
import { METHODS } from '../../handlers/rpc/methods/methodTable.ts'
import { UsageError, invalidValue } from '../cli/errors.ts'
import type { NodeOptions } from '../cli/nodeOptions.ts'
import { readFailureReason, readTextUpTo } from '../cli/readUpTo.ts'
import type { Log } from '../logging/log.ts'
import {
  checkCredentialsFile,
  createCredentialsReader,
  unusableUsers,
  USABLE_HASH,
} from './credentialsFile.ts'
import { isUrl, KEY_SET_BYTES_MAX, type KeySource, openKeySource } from './jwks.ts'
import { createPasswordPool } from '../threads/passwords/passwordPool.ts'
import { type AuthSettings, httpAuthSettings, wsAuthSettings } from './settings.ts'

/** The authentication of each port. */
export type Access = {
  /** Also for GraphQL and metrics. */
  readonly http: Authentication
  readonly ws: Authentication
  /** The client address of a request behind trusted proxies. */
  readonly clientOf: ClientOf
  /** Ends running logins and stops the password threads. */
  readonly close: () => Promise<void>
}

/** The checked authentication settings of a port. */
type Mode =
  | { readonly kind: 'off' }
  | { readonly kind: 'credentials'; readonly path: string }
  /** One of them at least. */
  | { readonly kind: 'publicKeys'; readonly key: PublicKey | undefined; readonly jwks: string | undefined }

/** Maximum file length: a public key in PEM has less than a kilobyte. */
const PUBLIC_KEY_BYTES_MAX = 64 * 1024

const readPublicKey = (path: string, { algorithm }: AuthSettings): PublicKey => {
  let pem: string
  try {
    pem = readTextUpTo(path, PUBLIC_KEY_BYTES_MAX)
  } catch (cause) {
    throw new UsageError(
      'INVALID_FILE',
      `Authentication RPC public key could not be read (${path}: ${readFailureReason(cause)})`,
    )
  }
  try {
    return parsePublicKey(pem, algorithm)
  } catch (cause) {
    if (cause instanceof PublicKeyError) throw new UsageError('INVALID_FILE', `${cause.message} (${path})`)
    throw cause
  }
}

/** Checks the options of all ports and the files that they name. @throws UsageError, with Besu's text if it has one */
export const checkAccess = (options: NodeOptions): void => {
  for (const settings of [httpAuthSettings(options), wsAuthSettings(options)]) modeOf(settings)
}

/** @throws UsageError, with Besu's text if it has one */
const modeOf = (settings: AuthSettings, log?: Log): Mode => {
  const { port, flag, enabled, credentialsFile, publicKeyFile, jwks, openMethods } = settings
  const served = new Set(METHODS.map(({ name }) => name))
  if (!openMethods.every(name => isKnownMethod(name) || served.has(name)))
    throw invalidValue(
      `Invalid value for option '--${flag}-api-methods-no-auth', options must be valid RPC methods`,
    )
  if (!enabled) return { kind: 'off' }
  if (credentialsFile !== undefined && publicKeyFile !== undefined)
    throw invalidValue(
      `--${flag}-authentication-credentials-file and --${flag}-authentication-jwt-public-key-file exclude each other: use the first for logins on this node, the second for tokens of another issuer`,
    )
  if (credentialsFile !== undefined && jwks !== undefined)
    throw invalidValue(
      `--${flag}-authentication-credentials-file and --${flag}-authentication-jwks exclude each other: use the first for logins on this node, the second for tokens of another issuer`,
    )
  if (jwks !== undefined) checkKeySet(jwks, flag)
  const key = publicKeyFile === undefined ? undefined : readPublicKey(publicKeyFile, settings)
  if (key !== undefined || jwks !== undefined) return { kind: 'publicKeys', key, jwks }
  if (credentialsFile === undefined)
    throw invalidValue(
      `Unable to authenticate JSON-RPC ${port === 'WS' ? 'WebSocket' : port} endpoint without a supplied credentials file or authentication public key file: give --${flag}-authentication-credentials-file, --${flag}-authentication-jwt-public-key-file or --${flag}-authentication-jwks`,
    )
  for (const user of unusableUsers(checkCredentialsFile(credentialsFile, port)))
    log?.warn('User {user} of {file} cannot log in: the password is not {expected}', {
      user,
      file: credentialsFile,
      expected: USABLE_HASH,
    })
  return { kind: 'credentials', path: credentialsFile }
}

/** @throws UsageError for a file that holds no key set; a URL is asked when the node starts */
const checkKeySet = (from: string, flag: string): void => {
  if (isUrl(from)) return
  const refuse = (reason: string): UsageError =>
    new UsageError('INVALID_FILE', `--${flag}-authentication-jwks: ${from} cannot be used: ${reason}`)
  try {
    parseKeySet(readTextUpTo(from, KEY_SET_BYTES_MAX))
  } catch (cause) {
    throw refuse(cause instanceof KeySetError ? cause.message : readFailureReason(cause))
  }
}

/** Verifies with the key of the PEM file, and with those of the key set. */
const openKeys = async (
  { key, jwks }: Extract<Mode, { kind: 'publicKeys' }>,
  { algorithm }: AuthSettings,
  log: Log,
): Promise<KeySource> => {
  const fixed = key === undefined ? undefined : await createVerifySignature(key, algorithm)
  const source = jwks === undefined ? undefined : await openKeySource(jwks, log, Date.now)
  return {
    verify: async token => (await fixed?.(token)) ?? source?.verify(token),
    version: () => source?.version() ?? 0,
    stop: () => source?.stop(),
  }
}

const auditLog = (log: Log): AuditLog => ({
  denied: ({ who, what, from }) => log.warn('Denied {what} to {who} from {from}', { what, who, from }),
  loggedIn: ({ who, from }) => log.info('{who} logged in from {from}', { who, from }),
  suppressed: count => log.warn('{count} more denials in the last minute', { count }),
})

/**
 * Opens the authentication of each port by the options. Checks keys and files before any port listens. @throws UsageError
 */
export const openAccess = async (options: NodeOptions, log: Log): Promise<Access> => {
  const ports = [httpAuthSettings(options), wsAuthSettings(options)] as const
  const [httpMode, wsMode] = ports.map(settings => modeOf(settings, log)) as [Mode, Mode]
  const nowMs = (): number => Date.now()
  const pool = createPasswordPool()
  // Shared by all ports: otherwise each port would allow more attempts.
  const limits = createLoginLimits(nowMs)
  const audit = createAudit(auditLog(log))
  const reportError = (what: string, error: unknown): void =>
    log.error('{what} failed: {error}', { what, error })

  const stops: (() => void)[] = []
  const open = async (settings: AuthSettings, mode: Mode): Promise<Authentication> => {
    if (mode.kind === 'off') return NO_AUTHENTICATION
    const { openMethods, acceptsSubprotocol } = settings
    const common = { openMethods, acceptsSubprotocol, audit, nowMs }
    if (mode.kind === 'publicKeys') {
      const { verify, version, stop } = await openKeys(mode, settings, log)
      stops.push(stop)
      return createAuthentication({
        ...common,
        login: NO_AUTHENTICATION.login,
        verify,
        keysVersion: version,
      })
    }
    const issuer = await createIssuer()
    const login = createLogin({
      readCredentials: createCredentialsReader(mode.path),
      checkPassword: pool.check,
      issuer,
      limits,
      audit,
      nowMs,
      reportError,
    })
    return createAuthentication({ ...common, login, verify: issuer.verify })
  }

  const [http, ws] = await Promise.all([open(ports[0], httpMode), open(ports[1], wsMode)])
  const proxies = options.rpcTrustedProxies.map(parseIpNetwork).filter(network => network !== undefined)
  return {
    http,
    ws,
    clientOf: createClientOf(proxies),
    close: async () => {
      for (const stop of stops) stop()
      await pool.close()
    },
  }
}
