import { KeySetError, parseKeySet } from '../../handlers/auth/keys/keySet.ts'
import { parsePublicKey, type PublicKey, PublicKeyError } from '../../handlers/auth/keys/publicKey.ts'
import { isKnownMethod } from '../../handlers/rpc/dispatch/knownMethods.ts'
import { METHODS } from '../../handlers/rpc/methods/methodTable.ts'
import { UsageError, invalidValue } from '../cli/errors.ts'
import type { NodeOptions } from '../cli/nodeOptions.ts'
import { readFailureReason, readTextUpTo } from '../cli/readUpTo.ts'
import type { Log } from '../logging/log.ts'
import { checkCredentialsFile, unusableUsers, USABLE_HASH } from './credentialsFile.ts'
import { isUrl, KEY_SET_BYTES_MAX } from './jwks.ts'
import { type AuthSettings, httpAuthSettings, wsAuthSettings } from './settings.ts'

/** The checked authentication settings of a port. */
export type Mode =
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
export const modeOf = (settings: AuthSettings, log?: Log): Mode => {
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
