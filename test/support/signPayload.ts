import type { Hash } from '../../core/bytes/bytes.ts'
import type { Seal } from '../../core/block/codec/seal.ts'
import type { QbftCode, Signed } from '../../core/qbft/message.ts'
import { signingDigest } from '../../core/qbft/signatures.ts'

/** Signs the payload, whose RLP is `payloadBytes`, for a message of this code. Throws the errors of `sign`. */
export const signPayload = <Payload>(
  code: QbftCode,
  payload: Payload,
  payloadBytes: Uint8Array,
  sign: (digest: Hash) => Seal,
): Signed<Payload> => ({ payload, payloadBytes, signature: sign(signingDigest(code, payloadBytes)) })
