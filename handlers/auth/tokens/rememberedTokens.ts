import { setBounded } from '../../../core/collections/boundedMap.ts'
import type { Claims } from './claims.ts'
import type { Permission } from '../caller.ts'

/** A verified token with its claims. */
export type RememberedToken = Pick<Claims, 'username' | 'expiresAtMs'> & {
  readonly token: string
  readonly permits: (needed: Permission) => boolean
  /** Version of the keys that verified it. */
  readonly keysVersion?: number
}

export type RememberedTokens = {
  /** Undefined for a token that is not remembered or has expired. */
  readonly get: (token: string, nowMs: number) => RememberedToken | undefined
  /** Returns it. */
  readonly add: (remembered: RememberedToken) => RememberedToken
}

/** Number of tokens, some 40 MB of the longest ones. Only an issuer can fill it. The oldest are evicted first. */
export const REMEMBERED_TOKENS_MAX = 5_000

/** Characters of the signature that identify a token: 132 bits. */
const NAME_LENGTH = 22

/** Characters of the signature that are compared in constant time: 384 bits. */
const SECRET_LENGTH = 64

const nameOf = (token: string): string => token.slice(-NAME_LENGTH)

/**
 * Compares the end of the signature in constant time, so that the time does not reveal where it differs. The rest is compared
 * with `===`, which is only reached with the right signature: comparing it by character costs as much as the request.
 */
const isSame = (known: string, token: string): boolean => {
  if (known.length !== token.length) return false
  let difference = 0
  for (let at = Math.max(0, token.length - SECRET_LENGTH); at < token.length; at++)
    difference |= known.charCodeAt(at) ^ token.charCodeAt(at)
  return difference === 0 && known === token
}

/** Remembers verified tokens until they expire, so that only the first request with a token verifies its signature. */
export const createRememberedTokens = (tokensMax: number = REMEMBERED_TOKENS_MAX): RememberedTokens => {
  const byName = new Map<string, RememberedToken>()
  return {
    get: (token, nowMs) => {
      const name = nameOf(token)
      const found = byName.get(name)
      if (found === undefined || !isSame(found.token, token)) return undefined
      if (nowMs < found.expiresAtMs) return found
      byName.delete(name)
      return undefined
    },
    add: remembered => {
      setBounded(byName, nameOf(remembered.token), remembered, tokensMax)
      return remembered
    },
  }
}
