import { type Address, equalBytes, type Hash } from '../bytes/bytes.ts'
import { bytesToBigint } from '../bytes/integer.ts'
import { joinRlpList, rlpListPieces } from '../rlp/list.ts'
import { sealSigner } from '../block/codec/seal.ts'
import { keccak256Steps } from '../crypto/keccakSteps.ts'
import { HALF_ORDER } from '../crypto/recovery.ts'
import { runSteps, type Steps } from '../steps.ts'
import type { QbftCode, Signed, SignedCommit } from './message.ts'

/** The keccak256 hash of RLP `[code, payload]`; `payloadBytes` is RLP. Yields within a long payload. */
export const signingDigestSteps = (code: QbftCode, payloadBytes: Uint8Array): Steps<Hash> =>
  keccak256Steps(...rlpListPieces([Uint8Array.of(code), payloadBytes]))

/** As `signingDigestSteps`, without yielding. */
export const signingDigest = (code: QbftCode, payloadBytes: Uint8Array): Hash =>
  runSteps(signingDigestSteps(code, payloadBytes))

/** RLP `[code, payload]`, of which `signingDigest` is the hash; for signers that hash it themselves. */
export const signingPreimage = (code: QbftCode, payloadBytes: Uint8Array): Uint8Array =>
  joinRlpList([Uint8Array.of(code), payloadBytes])

type Recovered = { readonly code: QbftCode; readonly author: Address | undefined }

/** Cached authors: a recovery costs more than all other processing of a message, and several rules need the author. */
const recovered = new WeakMap<Signed<unknown>, Recovered>()

function* recoverSteps(
  code: QbftCode,
  { payloadBytes, signature }: Signed<unknown>,
): Steps<Address | undefined> {
  if (bytesToBigint(signature.subarray(32, 64)) > HALF_ORDER) return undefined
  return sealSigner(yield* signingDigestSteps(code, payloadBytes), signature)
}

/**
 * The author ("recoverSignedPrepareAuthor" and similar). Undefined when no address can be recovered, or for a high s, with
 * which every message would have a second form. Recovered once for each object. Yields within a long payload.
 */
export function* authorOfSteps(code: QbftCode, signed: Signed<unknown>): Steps<Address | undefined> {
  const known = recovered.get(signed)
  if (known?.code === code) return known.author
  const author = yield* recoverSteps(code, signed)
  recovered.set(signed, { code, author })
  return author
}

/** As `authorOfSteps`, without yielding. */
export const authorOf = (code: QbftCode, signed: Signed<unknown>): Address | undefined =>
  runSteps(authorOfSteps(code, signed))

const sealers = new WeakMap<SignedCommit, { readonly digest: Hash; readonly sealer: Address | undefined }>()

/**
 * The signer of the commit's seal over a proposal's digest; undefined when no address can be recovered. Recovered once for
 * each object and digest.
 */
export const sealerOf = (signed: SignedCommit, digest: Hash): Address | undefined => {
  const known = sealers.get(signed)
  if (known !== undefined && equalBytes(known.digest, digest)) return known.sealer
  const sealer = sealSigner(digest, signed.payload.commitSeal)
  sealers.set(signed, { digest, sealer })
  return sealer
}

/** Stores a known author: of a kept message, or of a message that is decoded further. */
export const rememberAuthor = (code: QbftCode, signed: Signed<unknown>, author: Address): void =>
  void recovered.set(signed, { code, author })
