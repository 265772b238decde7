import { existsSync } from 'node:fs'
import { equalBytes } from '../../core/bytes/bytes.ts'
import {
  type Credentials,
  CredentialsError,
  parseCredentials,
} from '../../handlers/auth/login/credentials.ts'
import { COST_MAX, COST_MIN, bcryptCost } from '../../handlers/auth/login/password.ts'
import { invalidFile } from '../cli/errors.ts'
import { readFailureReason, readUpTo } from '../cli/readUpTo.ts'

/** Maximum file length: enough for thousands of users. */
const FILE_BYTES_MAX = 1024 * 1024

const parse = (bytes: Uint8Array): Credentials => parseCredentials(new TextDecoder().decode(bytes))

/**
 * Reads and checks the file at a start.
 * @param port `HTTP` or `WS`, for the messages. @throws UsageError with Besu's texts
 */
export const checkCredentialsFile = (path: string, port: string): Credentials => {
  if (!existsSync(path))
    throw invalidFile(`The specified RPC ${port} authentication credential file '${path}' does not exist`)
  try {
    return parse(readUpTo(path, FILE_BYTES_MAX))
  } catch (cause) {
    if (cause instanceof CredentialsError && cause.code !== 'MALFORMED') throw invalidFile(cause.message)
    const detail =
      cause instanceof CredentialsError ? cause.message : `it cannot be read: ${readFailureReason(cause)}`
    throw invalidFile(`Invalid RPC ${port} authentication credentials file: ${detail} (${path})`)
  }
}

/** Users who can never log in, because their password is not a valid hash. */
export const unusableUsers = ({ users }: Credentials): readonly string[] =>
  users.filter(({ passwordHash }) => bcryptCost(passwordHash) === undefined).map(({ name }) => name)

/** The expected form of a password hash, for messages. */
export const USABLE_HASH = `a bcrypt hash ($2a$, $2b$ or $2y$) of cost ${COST_MIN} to ${COST_MAX}`

/** Reads the file at each call, so that edits apply from the next login on. An unchanged file is not parsed again. */
export const createCredentialsReader = (path: string): (() => Credentials) => {
  let last: { readonly bytes: Uint8Array; readonly credentials: Credentials } | undefined
  return () => {
    const bytes = readUpTo(path, FILE_BYTES_MAX)
    if (last === undefined || !equalBytes(bytes, last.bytes)) last = { bytes, credentials: parse(bytes) }
    return last.credentials
  }
}
