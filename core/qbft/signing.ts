import { type Address, equalBytes, type Hash } from '../bytes/bytes.ts'
import { bytesToBigint } from '../bytes/integer.ts'
import { rlpListPieces } from '../rlp/list.ts'
import { type Seal, sealSigner } from '../chain/codec/seal.ts'
import { keccak256Steps } from '../crypto/keccakSteps.ts'
import { HALF_ORDER } from '../crypto/recovery.ts'
import { inOneGo, type Steps } from '../steps.ts'
import type { QbftCode, Signed, SignedCommit } from './message.ts'

/** keccak of RLP `[code, payload]`, with the payload, RLP already, as a list in it. Yields amid a long one. */
export const signingDigestSteps = (code: QbftCode, payloadBytes: Uint8Array): Steps<Hash> =>
  keccak256Steps(...rlpListPieces([Uint8Array.of(code), payloadBytes]))

/** The same in one go. */
export const signingDigest = (code: QbftCode, payloadBytes: Uint8Array): Hash =>
  inOneGo(signingDigestSteps(code, payloadBytes))

/** Signs the payload, whose RLP is given, as messages of the code are signed. Throws what `sign` throws. */
export const signPayload = <Payload>(
  code: QbftCode,
  payload: Payload,
  payloadBytes: Uint8Array,
  sign: (digest: Hash) => Seal,
): Signed<Payload> => ({ payload, payloadBytes, signature: sign(signingDigest(code, payloadBytes)) })

type Recovered = { readonly code: QbftCode; readonly author: Address | undefined }

/** Recovering costs more than all else there is to a message, and several rules ask for the same author. */
const recovered = new WeakMap<Signed<unknown>, Recovered>()

function* recoverSteps(
  code: QbftCode,
  { payloadBytes, signature }: Signed<unknown>,
): Steps<Address | undefined> {
  if (bytesToBigint(signature.subarray(32, 64)) > HALF_ORDER) return undefined
  return sealSigner(yield* signingDigestSteps(code, payloadBytes), signature)
}

/**
 * Who signed ("recoverSignedPrepareAuthor" and its like); undefined when nobody did, or with a high s, by which anybody
 * could give a message a second form. Recovered once for each object. Yields amid a long payload.
 */
export function* authorOfSteps(code: QbftCode, signed: Signed<unknown>): Steps<Address | undefined> {
  const known = recovered.get(signed)
  if (known?.code === code) return known.author
  const author = yield* recoverSteps(code, signed)
  recovered.set(signed, { code, author })
  return author
}

/** The same in one go. */
export const authorOf = (code: QbftCode, signed: Signed<unknown>): Address | undefined =>
  inOneGo(authorOfSteps(code, signed))

const sealers = new WeakMap<SignedCommit, { readonly digest: Hash; readonly sealer: Address | undefined }>()

/** Who made the commit's seal over the digest of a proposal, undefined when nobody did; recovered once for each object and digest. */
export const sealerOf = (signed: SignedCommit, digest: Hash): Address | undefined => {
  const known = sealers.get(signed)
  if (known !== undefined && equalBytes(known.digest, digest)) return known.sealer
  const sealer = sealSigner(digest, signed.payload.commitSeal)
  sealers.set(signed, { digest, sealer })
  return sealer
}

/** That the author is known already: of a message that was kept, or read further. */
export const rememberAuthor = (code: QbftCode, signed: Signed<unknown>, author: Address): void =>
  void recovered.set(signed, { code, author })
