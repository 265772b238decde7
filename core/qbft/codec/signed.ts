import { concatBytes } from '../../bytes/bytes.ts'
import { joinRlpList, rlpListPieces } from '../../rlp/list.ts'
import { encodeRlp } from '../../rlp/rlp.ts'
import type { RoundIdentifier, Signed } from '../message.ts'
import { decodeRoundIdentifier, decodeSignature } from './field.ts'
import { type RawItem, rawItems } from '../../rlp/rawItem.ts'

/**
 * Limit on the round changes or prepares that justify one message. There is one for each validator, and no QBFT network has
 * more validators.
 */
export const JUSTIFICATION_ITEMS_MAX = 1000

/** Decodes `[payload, signature]`; the payload's bytes are a view of the message. @throws RlpError */
export const decodeSigned = <Payload>(
  raw: RawItem,
  what: string,
  decodePayload: (payload: RawItem) => Payload,
): Signed<Payload> => {
  const [payloadBytes, signature] = rawItems(raw, what, 2) as [RawItem, RawItem]
  return {
    payload: decodePayload(payloadBytes),
    payloadBytes,
    signature: decodeSignature(signature, 'signature'),
  }
}

/** Every payload starts with height and round; up to two further items are not decoded here. */
const PAYLOAD_ITEMS_MAX = 4

/** Decodes only the height and the round of the signed payload. @throws RlpError */
export const openSigned = (raw: RawItem, what: string): Signed<RoundIdentifier> =>
  decodeSigned(raw, what, payload =>
    decodeRoundIdentifier(rawItems(payload, 'payload', 2, PAYLOAD_ITEMS_MAX)),
  )

/** @throws RlpError */
export const decodeSignedList = <Payload>(
  raw: RawItem,
  what: string,
  decodePayload: (payload: RawItem) => Payload,
): Signed<Payload>[] =>
  rawItems(raw, what, 0, JUSTIFICATION_ITEMS_MAX).map(item =>
    decodeSigned(item, `one of ${what}`, decodePayload),
  )

/** The bytes of `encodeSigned` as pieces to embed in a larger encoding. */
export const signedPieces = ({ payloadBytes, signature }: Signed<unknown>): readonly Uint8Array[] =>
  rlpListPieces([payloadBytes, encodeRlp(signature)])

/** Encodes `[payload, signature]` with exactly the bytes that were signed. */
export const encodeSigned = (signed: Signed<unknown>): Uint8Array => concatBytes(...signedPieces(signed))

export const encodeSignedList = (list: readonly Signed<unknown>[]): Uint8Array =>
  joinRlpList(list.map(encodeSigned))
