import { createAudit, type Denial } from '../../../handlers/auth/audit.ts'
import type { Algorithm } from '../../../handlers/auth/keys/algorithms.ts'
import { type Authentication, NO_AUTHENTICATION } from '../../../handlers/auth/authentication.ts'
import { createAuthentication } from '../../../handlers/auth/createAuthentication.ts'
import { parsePublicKey } from '../../../handlers/auth/keys/publicKey.ts'
import { createVerifySignature } from '../../../handlers/auth/tokens/verifyToken.ts'

/** What every token of these tests is dated by, so that none expires while they run. */
export const NOW_SECONDS = 1_700_000_000

/** A base64url part of a token. */
export const part = (value: unknown): string =>
  Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url')

export const CLAIMS = {
  permissions: ['eth:*'],
  username: 'alice',
  iat: NOW_SECONDS,
  exp: NOW_SECONDS + 300,
} as const

export type Verifier = Authentication & {
  readonly denials: readonly Denial[]
  /** Milliseconds since 1970, as the node sees it. */
  clockMs: number
}

/** The authentication of a node that was given the key. */
export const authenticationWith = async (
  pem: string,
  algorithm: Algorithm,
  openMethods: readonly string[] = [],
): Promise<Verifier> => {
  const denials: Denial[] = []
  const clock = { clockMs: NOW_SECONDS * 1000 + 500 }
  const authentication = createAuthentication({
    login: NO_AUTHENTICATION.login,
    verify: await createVerifySignature(parsePublicKey(pem, algorithm), algorithm),
    openMethods,
    acceptsSubprotocol: false,
    audit: createAudit({
      denied: denial => denials.push(denial),
      loggedIn: () => undefined,
      suppressed: () => undefined,
    }),
    nowMs: () => clock.clockMs,
  })
  return Object.assign(clock, authentication, { denials })
}

const BLOCK_NUMBER = { name: 'eth_blockNumber', permission: 'eth:blockNumber' }

/** Whether the token, as a header brings it, permits what the claims above do. */
export const accepts = async (authentication: Authentication, token: string): Promise<boolean> => {
  const identity = await authentication.identify(`Bearer ${token}`, () => '127.0.0.1')
  return identity.permits(BLOCK_NUMBER)
}
