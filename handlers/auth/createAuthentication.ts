import { base64url } from 'jose'
import type { Audit } from './audit.ts'
import type { Authentication, ClientAddress, Identity } from './authentication.ts'
import type { Permission } from './caller.ts'
import { type Claims, type ExpectedClaims, readClaims } from './tokens/claims.ts'
import { AUTHENTICATE_METHOD } from './connection.ts'
import { createGrants } from './permissions.ts'
import { createRememberedTokens, type RememberedToken } from './tokens/rememberedTokens.ts'
import type { VerifySignature } from './keys/publicKey.ts'

/** Longest token in characters: usual ones have some hundred, one with every permission by name some thousand. */
export const TOKEN_LENGTH_MAX = 8_192

/** Characters of a user name shown in the audit log. */
const SHOWN_NAME_LENGTH = 100

/** Characters of the signature that tell tokens without a name apart: 132 bits. */
const USER_KEY_LENGTH = 22

/** Three parts of base64url without padding or white space (RFC 7515); decoders may be more lenient. */
const COMPACT = /^[\w-]+\.([\w-]+)\.[\w-]+$/

/** The scheme of an `Authorization` header, case-insensitive (RFC 9110, 11.1), before one or more spaces and the token. */
const BEARER = /^bearer +/i

export type AuthenticationParts = {
  readonly login: Authentication['login']
  readonly verify: VerifySignature
  /** Changes with the keys; undefined where they stay the same. */
  readonly keysVersion?: (() => number) | undefined
  readonly expectedClaims?: ExpectedClaims | undefined
  /** Methods that are open to everyone, with or without a token. */
  readonly openMethods: readonly string[]
  readonly acceptsSubprotocol: boolean
  readonly audit: Audit
  readonly nowMs: () => number
}

/** The token of an `Authorization` header; undefined without one, or with another scheme. */
const bearerToken = (authorization: string | null): string | undefined => {
  const scheme = authorization === null ? null : BEARER.exec(authorization)
  return scheme === null ? undefined : authorization?.slice(scheme[0].length)
}

/** Reads the claims before the signature is verified: an expired token need not be verified. */
const claimsOf = (
  token: string,
  nowMs: number,
  expected: ExpectedClaims | undefined,
): ReturnType<typeof readClaims> => {
  if (token.length > TOKEN_LENGTH_MAX) return 'malformed'
  const payload = COMPACT.exec(token)?.[1]
  if (payload === undefined) return 'malformed'
  try {
    return readClaims(base64url.decode(payload), nowMs, expected)
  } catch {
    // Not base64.
    return 'malformed'
  }
}

const denier =
  (audit: Audit, who: string, client: ClientAddress) =>
  ({ name }: Permission): void =>
    audit.denied({ who, what: name, from: client() })

/** A verified token, and what it permits besides the open methods. */
const verifiedToken = (
  token: string,
  { permissions, username, expiresAtMs }: Claims,
  keysVersion: number,
  isOpen: (needed: Permission) => boolean,
): RememberedToken => {
  const grants = createGrants(permissions)
  return { token, username, expiresAtMs, keysVersion, permits: needed => isOpen(needed) || grants(needed) }
}

/** Who is counted: all tokens of a name together. */
const userOf = ({ username, token }: RememberedToken): string =>
  username === undefined
    ? `token ${token.slice(-USER_KEY_LENGTH)}`
    : `user ${username.slice(0, SHOWN_NAME_LENGTH)}`

/** Creates the authentication of one port. */
export const createAuthentication = ({
  login,
  verify,
  keysVersion = () => 0,
  expectedClaims,
  openMethods,
  acceptsSubprotocol,
  audit,
  nowMs,
}: AuthenticationParts): Authentication => {
  const remembered = createRememberedTokens()
  // A caller without a token must be able to present one.
  const open: ReadonlySet<string> = new Set([...openMethods, AUTHENTICATE_METHOD])
  const isOpen = ({ name }: Permission): boolean => open.has(name)

  /** Without a valid token, and with no method open to everyone, no request can succeed. */
  const rejectsUnauthenticated = openMethods.length === 0

  const withoutToken = (why: string, client: ClientAddress): Identity => ({
    permits: isOpen,
    denied: denier(audit, `nobody (${why})`, client),
    unauthenticated: rejectsUnauthenticated,
    expiresAtMs: undefined,
    user: undefined,
  })

  const withToken = (token: RememberedToken, client: ClientAddress): Identity => ({
    permits: token.permits,
    denied: denier(
      audit,
      token.username?.slice(0, SHOWN_NAME_LENGTH) ?? 'the holder of a token without a name',
      client,
    ),
    unauthenticated: false,
    expiresAtMs: token.expiresAtMs,
    user: userOf(token),
  })

  const verified = async (token: string, client: ClientAddress): Promise<Identity> => {
    const version = keysVersion()
    const payload = await verify(token)
    if (payload === undefined) return withoutToken('the signature of the token is invalid', client)
    // The token may have expired while its signature was verified.
    const claims = readClaims(payload, nowMs(), expectedClaims)
    return typeof claims === 'string'
      ? withoutToken(`the token is ${claims}`, client)
      : withToken(remembered.add(verifiedToken(token, claims, version, isOpen)), client)
  }

  return {
    login,
    acceptsSubprotocol,
    nowMs,
    identify: (authorization, client) => {
      const token = bearerToken(authorization)
      if (token === undefined) return withoutToken('no token', client)
      const known = remembered.get(token, nowMs())
      if (known?.keysVersion === keysVersion()) return withToken(known, client)
      const claims = claimsOf(token, nowMs(), expectedClaims)
      return typeof claims === 'string'
        ? withoutToken(`the token is ${claims}`, client)
        : verified(token, client)
    },
  }
}
