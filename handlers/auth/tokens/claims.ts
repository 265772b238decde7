import { isObject, type JsonObject } from '../../../core/json.ts'

/** The claims of a token. */
export type Claims = {
  readonly permissions: readonly string[]
  /** Undefined where the token has no user name. */
  readonly username: string | undefined
  /** Milliseconds since 1970. */
  readonly expiresAtMs: number
}

/** Whom tokens must be from and for; undefined for anybody, as in Besu. */
export type ExpectedClaims = {
  readonly issuer?: string | undefined
  readonly audience?: string | undefined
}

/** Why the claims of a token are not accepted: the token "is" ... */
export type ClaimsRefusal =
  | 'expired'
  | 'not yet valid'
  | 'malformed'
  | 'of another issuer'
  | 'for another audience'

const DECODER = new TextDecoder('utf-8', { fatal: true })

const isText = (value: unknown): value is string => typeof value === 'string'

/** Seconds since 1970, possibly with a fraction. */
const isTime = (value: unknown): value is number => typeof value === 'number' && Number.isFinite(value)

const isLater = (value: unknown, nowMs: number): boolean => isTime(value) && value * 1000 > nowMs

const parse = (payload: Uint8Array): JsonObject | undefined => {
  try {
    const value: unknown = JSON.parse(DECODER.decode(payload))
    return isObject(value) ? value : undefined
  } catch {
    // Neither UTF-8 nor JSON: no claims.
    return undefined
  }
}

/** The audience of a token is one name or a list (RFC 7519, 4.1.3). */
const isFor = (audience: string, value: unknown): boolean =>
  value === audience || (Array.isArray(value) && value.includes(audience))

/**
 * Reads the payload of a token (RFC 7519) by Besu's rules: `exp` and `permissions` are required; `exp`, `nbf` and `iat` are
 * enforced without leeway; issuer and audience only where they are expected.
 */
export const readClaims = (
  payload: Uint8Array,
  nowMs: number,
  { issuer, audience }: ExpectedClaims = {},
): Claims | ClaimsRefusal => {
  const claims = parse(payload)
  if (claims === undefined) return 'malformed'
  const { exp, nbf, iat, permissions, username, iss, aud } = claims
  if (!isTime(exp) || !Array.isArray(permissions) || !permissions.every(isText)) return 'malformed'
  if ([nbf, iat].some(time => time !== undefined && !isTime(time))) return 'malformed'
  if (issuer !== undefined && iss !== issuer) return 'of another issuer'
  if (audience !== undefined && !isFor(audience, aud)) return 'for another audience'
  if (exp * 1000 <= nowMs) return 'expired'
  if (isLater(nbf, nowMs) || isLater(iat, nowMs)) return 'not yet valid'
  return { permissions, username: isText(username) ? username : undefined, expiresAtMs: exp * 1000 }
}
