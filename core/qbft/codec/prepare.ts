import { encodeRlp } from '../../rlp/rlp.ts'
import type { PrepareMessage, PreparePayload, SignedPrepare } from '../message.ts'
import { decodeDigest, decodeRoundIdentifier } from './field.ts'
import { type RawItem, rawItems } from '../../rlp/rawItem.ts'
import { decodeSigned, decodeSignedList, encodeSigned } from './signed.ts'

/** RLP `[sequence, round, digest]`. */
export const encodePreparePayload = ({ sequence, round, digest }: PreparePayload): Uint8Array =>
  encodeRlp([sequence, round, digest])

const decodePayload = (raw: RawItem): PreparePayload => {
  const items = rawItems(raw, 'prepare payload', 3)
  return { ...decodeRoundIdentifier(items), digest: decodeDigest(items[2]) }
}

/** @throws RlpError */
export const decodeSignedPrepares = (raw: RawItem): SignedPrepare[] =>
  decodeSignedList(raw, 'prepares', decodePayload)

/** @throws RlpError */
export const decodePrepare = (raw: RawItem): PrepareMessage => ({
  kind: 'prepare',
  signed: decodeSigned(raw, 'signed prepare', decodePayload),
})

/** `[payload, signature]`. */
export const encodePrepare = ({ signed }: PrepareMessage): Uint8Array => encodeSigned(signed)
