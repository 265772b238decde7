import { existsSync, readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { type Credentials, CredentialsError, parseCredentials } from '../../handlers/auth/credentials.ts'
import { COST_MAX, COST_MIN, bcryptCost } from '../../handlers/auth/password.ts'
import { UsageError } from '../cli/errors.ts'

/** Maximum file length: enough for thousands of users. */
const FILE_BYTES_MAX = 1024 * 1024

/** The file is invalid. The text never contains any of its content. */
class CredentialsFileError extends Error {
  override readonly name = 'CredentialsFileError'
  readonly code = 'CREDENTIALS_FILE'
}

const parse = (path: string, bytes: Uint8Array): Credentials => {
  if (bytes.length > FILE_BYTES_MAX)
    throw new CredentialsFileError(`${path} is longer than ${FILE_BYTES_MAX} bytes`)
  return parseCredentials(new TextDecoder().decode(bytes))
}

const invalid = (text: string): UsageError => new UsageError('INVALID_FILE', text)

/**
 * Reads and checks the file at a start.
 * @param port `HTTP` or `WS`, for the messages. @throws UsageError with Besu's texts
 */
export const checkCredentialsFile = (path: string, port: string): Credentials => {
  if (!existsSync(path))
    throw invalid(`The specified RPC ${port} authentication credential file '${path}' does not exist`)
  try {
    return parse(path, readFileSync(path))
  } catch (cause) {
    if (cause instanceof CredentialsError && cause.code !== 'MALFORMED') throw invalid(cause.message)
    const isOurs = cause instanceof CredentialsError || cause instanceof CredentialsFileError
    // The messages of the system differ between runtimes.
    const detail = isOurs
      ? cause.message
      : `it cannot be read: ${(cause as { code?: string }).code ?? 'unknown'}`
    throw invalid(`Invalid RPC ${port} authentication credentials file: ${detail}`)
  }
}

/** Users who can never log in, because their password is not a valid hash. */
export const unusableUsers = ({ users }: Credentials): readonly string[] =>
  users.filter(({ passwordHash }) => bcryptCost(passwordHash) === undefined).map(({ name }) => name)

/** The expected form of a password hash, for messages. */
export const USABLE_HASH = `a bcrypt hash ($2a$, $2b$ or $2y$) of cost ${COST_MIN} to ${COST_MAX}`

/** Reads the file at each call, so that edits apply from the next login on. An unchanged file is not parsed again. */
export const createCredentialsReader = (path: string): (() => Promise<Credentials>) => {
  let last: { readonly bytes: Uint8Array; readonly credentials: Credentials } | undefined
  return async () => {
    const bytes = await readFile(path)
    if (last === undefined || !bytes.equals(last.bytes)) last = { bytes, credentials: parse(path, bytes) }
    return last.credentials
  }
}
