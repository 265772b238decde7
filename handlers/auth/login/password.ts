/** bcrypt ignores the rest of a password; a longer one is refused rather than truncated. */
const PASSWORD_BYTES_MAX = 72

/** Accepted costs of a hash: each step doubles the time, and 14 takes about a second. */
export const COST_MIN = 4
export const COST_MAX = 14

/** Besu's cost, used where the file has no valid hash. */
export const COST_DEFAULT = 10

const ENCODER = new TextEncoder()

/**
 * Why bcrypt could confuse the password with another one; undefined for a password without such a problem. bcrypt ignores
 * everything after 72 bytes, repeats the password after a zero byte, and lone surrogates have no UTF-8 encoding.
 */
export const passwordProblem = (password: string): string | undefined => {
  if (ENCODER.encode(password).length > PASSWORD_BYTES_MAX)
    return `it is longer than ${PASSWORD_BYTES_MAX} bytes, and bcrypt would ignore the rest`
  if (password.includes('\0')) return 'it has a zero byte'
  return password.isWellFormed() ? undefined : 'it is not well-formed Unicode'
}

/** The cost of a supported bcrypt hash: `$2a$`, `$2b$` or `$2y$` with an accepted cost. Undefined for any other text. */
export const bcryptCost = (hash: string): number | undefined => {
  const match = /^\$2[aby]\$(\d\d)\$[./A-Za-z0-9]{53}$/.exec(hash)
  const cost = Number(match?.[1])
  return cost >= COST_MIN && cost <= COST_MAX ? cost : undefined
}

/** A hash of that cost that no password matches. */
export const dummyHash = (cost: number): string =>
  `$2a$${String(cost).padStart(2, '0')}$abcdefghijklmnopqrstuuabcdefghijklmnopqrstuvwxyz01234`

/** A password to check, on a thread that serves no requests. */
export type PasswordJob = {
  readonly password: string
  readonly hash: string
  /** Checking a wrong password takes as long as a hash of this cost, so that the time reveals nothing. */
  readonly failCost: number
}

/**
 * Tests whether the password matches the hash. After a mismatch it computes more hashes until the time equals that of a hash of
 * `failCost`: hashes of cost c, c, c + 1, ... f - 1 take as long as one of cost f.
 * @param compare bcrypt's compare function.
 */
export const passwordMatches = (
  { password, hash, failCost }: PasswordJob,
  compare: (password: string, hash: string) => boolean,
): boolean => {
  if (compare(password, hash)) return true
  for (let cost = bcryptCost(hash) ?? failCost; cost < failCost; cost++) compare(password, dummyHash(cost))
  return false
}

/** Whose password is checked: passwords wait in turns of networks and names. */
export type PasswordClient = {
  /** An IPv4 address, the first half of an IPv6 address, or another name of where the request comes from. */
  readonly network: string
  readonly username: string
  /** This user has logged in from this network before. */
  readonly isKnown: boolean
}

/** @throws an error with the `code` PASSWORD_QUEUE_FULL when too many wait */
export type CheckPassword = (job: PasswordJob, client: PasswordClient) => Promise<boolean>
