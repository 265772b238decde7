import type { Address, Hash } from '../bytes/bytes.ts'
import { bytesToBigint } from '../bytes/integer.ts'
import { joinRlpList } from '../chain/codec/list.ts'
import { type Seal, sealSigner } from '../chain/codec/seal.ts'
import { keccak256 } from '../crypto/crypto.ts'
import { HALF_ORDER } from '../crypto/recovery.ts'
import type { QbftCode, Signed } from './message.ts'

/** keccak of RLP `[code, payload]`, with the payload, RLP already, as a list in it. */
export const signingDigest = (code: QbftCode, payloadBytes: Uint8Array): Hash =>
  keccak256(joinRlpList([Uint8Array.of(code), payloadBytes]))

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

const recover = (code: QbftCode, { payloadBytes, signature }: Signed<unknown>): Address | undefined =>
  bytesToBigint(signature.subarray(32, 64)) > HALF_ORDER
    ? undefined
    : sealSigner(signingDigest(code, payloadBytes), signature)

/**
 * Who signed ("recoverSignedPrepareAuthor" and its like); undefined when nobody did, or with a high s, by which anybody
 * could give a message a second form. Recovered once for each object.
 */
export const authorOf = (code: QbftCode, signed: Signed<unknown>): Address | undefined => {
  const known = recovered.get(signed)
  if (known?.code === code) return known.author
  const author = recover(code, signed)
  recovered.set(signed, { code, author })
  return author
}

/** That the author is known already: of a message that was kept, or read further. */
export const rememberAuthor = (code: QbftCode, signed: Signed<unknown>, author: Address): void =>
  void recovered.set(signed, { code, author })
