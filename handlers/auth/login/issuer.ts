import { generateKeyPair, SignJWT } from 'jose'
import type { User } from './credentials.ts'
import type { VerifySignature } from '../keys/publicKey.ts'
import type { ExpectedClaims } from '../tokens/claims.ts'
import { verifyWithKey } from '../tokens/verifyToken.ts'

/** As in Besu: internal tokens are always RS256 with a key of 2048 bits, and expire after five minutes. */
const ALGORITHM = 'RS256'
const RSA_BITS = 2048
const TOKEN_SECONDS = 300

/** Issues and verifies the tokens of one port. */
export type Issuer = {
  /** @param nowMs time of issue, milliseconds since 1970. */
  readonly issue: (user: User, nowMs: number) => Promise<string>
  readonly verify: VerifySignature
}

/** Creates a key for one port: its tokens are valid on no other port, nor after a restart. */
export const createIssuer = async ({ issuer, audience }: ExpectedClaims = {}): Promise<Issuer> => {
  const { privateKey, publicKey } = await generateKeyPair(ALGORITHM, { modulusLength: RSA_BITS })
  return {
    issue: ({ name, permissions, privacyPublicKey }, nowMs) => {
      const issuedAt = Math.floor(nowMs / 1000)
      const privacy = privacyPublicKey === undefined ? {} : { privacyPublicKey }
      const names = {
        ...(issuer === undefined ? {} : { iss: issuer }),
        ...(audience === undefined ? {} : { aud: audience }),
      }
      return new SignJWT({ permissions: [...permissions], username: name, ...privacy, ...names })
        .setProtectedHeader({ typ: 'JWT', alg: ALGORITHM })
        .setIssuedAt(issuedAt)
        .setExpirationTime(issuedAt + TOKEN_SECONDS)
        .sign(privateKey)
    },
    verify: verifyWithKey(publicKey, ALGORITHM),
  }
}
