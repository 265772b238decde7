import { concatBytes } from '../../bytes/bytes.ts'
import { joinRlpList, rlpListPieces } from '../../rlp/list.ts'
import { encodeRlp } from '../../rlp/rlp.ts'
import type { RoundIdentifier, Signed } from '../message.ts'
import { decodeRoundIdentifier, decodeSignature } from './field.ts'
import { type RawItem, rawItems } from '../../rlp/rawItem.ts'

/**
 * Round changes or prepares that may justify one message: one of each validator, for more validators than any QBFT
 * network has.
 */
export const JUSTIFICATION_ITEMS_MAX = 1000

/** `[payload, signature]` as it came: the payload's bytes are a view of the message. @throws RlpError */
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

/** Height and round stand first in every payload; what follows, up to two more items, is not looked into. */
const PAYLOAD_ITEMS_MAX = 4

/** What was signed, as far as its height and round: the rest of the payload is not read. @throws RlpError */
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

/** The bytes of `encodeSigned` in pieces, for what has them in it. */
export const signedPieces = ({ payloadBytes, signature }: Signed<unknown>): readonly Uint8Array[] =>
  rlpListPieces([payloadBytes, encodeRlp(signature)])

/** `[payload, signature]` with the bytes that were signed. */
export const encodeSigned = (signed: Signed<unknown>): Uint8Array => concatBytes(...signedPieces(signed))

export const encodeSignedList = (list: readonly Signed<unknown>[]): Uint8Array =>
  joinRlpList(list.map(encodeSigned))
