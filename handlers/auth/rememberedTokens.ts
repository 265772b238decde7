import type { Claims } from './claims.ts'
import type { Permission } from './caller.ts'

/** A token that was verified, and what it stands for. */
export type RememberedToken = Pick<Claims, 'username' | 'expiresAtMs'> & {
  readonly token: string
  readonly permits: (needed: Permission) => boolean
}

export type RememberedTokens = {
  /** Undefined for one that is not remembered or has expired. */
  readonly get: (token: string, nowMs: number) => RememberedToken | undefined
  readonly add: (remembered: RememberedToken) => void
}

/** Only who may issue tokens can fill it; with the longest tokens some 40 MB. The oldest go first. */
export const REMEMBERED_TOKENS_MAX = 5_000

/** Characters of a signature that name a token: 132 bits, which no two share. */
const NAME_LENGTH = 22

/** Characters that are compared in constant time: 384 bits of the signature, beyond any guess. */
const SECRET_LENGTH = 64

const nameOf = (token: string): string => token.slice(-NAME_LENGTH)

/**
 * Looks at every character of the secret whatever differs, so that the time says nothing of where. What stands before is
 * compared at once: without the secret nobody gets there, and character by character a token costs as much as the request.
 */
const isSame = (known: string, token: string): boolean => {
  if (known.length !== token.length) return false
  let difference = 0
  for (let at = Math.max(0, token.length - SECRET_LENGTH); at < token.length; at++)
    difference |= known.charCodeAt(at) ^ token.charCodeAt(at)
  return difference === 0 && known === token
}

/** Verified tokens until they expire, bounded in number, so that only the first request with one pays for its signature. */
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
      const name = nameOf(remembered.token)
      byName.delete(name)
      if (byName.size >= tokensMax) byName.delete(byName.keys().next().value as string)
      byName.set(name, remembered)
    },
  }
}
