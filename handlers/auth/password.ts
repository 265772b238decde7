/** bcrypt reads no more of a password; what is longer is refused rather than cut. */
const PASSWORD_BYTES_MAX = 72

/** What a hash may cost: each step doubles the time, and 14 takes about a second. */
export const COST_MIN = 4
export const COST_MAX = 14

/** Where no hash says otherwise; Besu's. */
export const COST_DEFAULT = 10

const ENCODER = new TextEncoder()

/**
 * Why bcrypt would take the password for another one too, undefined where it would not: beyond 72 bytes it reads nothing,
 * a zero byte begins the password anew, and halves of surrogate pairs have no bytes of their own.
 */
export const passwordProblem = (password: string): string | undefined => {
  if (ENCODER.encode(password).length > PASSWORD_BYTES_MAX)
    return `it is longer than ${PASSWORD_BYTES_MAX} bytes, and bcrypt would ignore the rest`
  if (password.includes('\0')) return 'it has a zero byte'
  return password.isWellFormed() ? undefined : 'it is not well-formed Unicode'
}

/** The cost of a bcrypt hash that counts: `$2a$`, `$2b$` or `$2y$`, and a cost within bounds. Undefined for any other text. */
export const bcryptCost = (hash: string): number | undefined => {
  const match = /^\$2[aby]\$(\d\d)\$[./A-Za-z0-9]{53}$/.exec(hash)
  const cost = Number(match?.[1])
  return cost >= COST_MIN && cost <= COST_MAX ? cost : undefined
}

/** A hash that takes as long as any of its cost, and is of no password. */
export const dummyHash = (cost: number): string =>
  `$2a$${String(cost).padStart(2, '0')}$abcdefghijklmnopqrstuuabcdefghijklmnopqrstuvwxyz01234`

/** One password to be checked, away from the thread that serves. */
export type PasswordJob = {
  readonly password: string
  readonly hash: string
  /** Where the password is wrong, the check takes as long as that of a hash of this cost, so that the time says nothing. */
  readonly failCost: number
}

/**
 * Compares, and after a wrong password goes on until as much was done as for a hash of `failCost`: hashes of cost c, c,
 * c + 1, ... f - 1 take together as long as one of cost f.
 * @param compare bcrypt's.
 */
export const passwordMatches = (
  { password, hash, failCost }: PasswordJob,
  compare: (password: string, hash: string) => boolean,
): boolean => {
  if (compare(password, hash)) return true
  for (let cost = bcryptCost(hash) ?? failCost; cost < failCost; cost++) compare(password, dummyHash(cost))
  return false
}

/** @throws an error with the `code` PASSWORD_QUEUE_FULL when too many wait */
export type CheckPassword = (job: PasswordJob) => Promise<boolean>
