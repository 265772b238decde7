import type { Hash } from '../../bytes/bytes.ts'
import type { Seal } from '../../block/codec/seal.ts'
import { RlpError, rlpBytes, rlpScalar } from '../../rlp/rlp.ts'
import type { RoundIdentifier } from '../message.ts'
import { type RawItem, rawString } from '../../rlp/rawItem.ts'

/** Besu and GoQuorum store heights as positive longs and rounds as positive ints. */
const SEQUENCE_MAX = 0x7fff_ffff_ffff_ffffn
export const ROUND_MAX = 0x7fff_ffff

export const isEmptyList = (raw: RawItem | undefined): boolean => raw?.length === 1 && raw[0] === 0xc0

/** @throws RlpError */
export const decodeSequence = (raw: RawItem | undefined): bigint => {
  const sequence = rlpScalar(rawString(raw, 'sequence'), 'sequence', 8)
  if (sequence > SEQUENCE_MAX) throw new RlpError(`sequence ${sequence} is above ${SEQUENCE_MAX}`)
  return sequence
}

/** @throws RlpError */
export const decodeRound = (raw: RawItem | undefined, what = 'round'): number => {
  const round = rlpScalar(rawString(raw, what), what, 4)
  if (round > BigInt(ROUND_MAX)) throw new RlpError(`${what} ${round} is above ${ROUND_MAX}`)
  return Number(round)
}

/** Decodes the two items that every payload starts with. @throws RlpError */
export const decodeRoundIdentifier = ([sequence, round]: readonly RawItem[]): RoundIdentifier => ({
  sequence: decodeSequence(sequence),
  round: decodeRound(round),
})

/** Returns a view. @throws RlpError */
export const decodeDigest = (raw: RawItem | undefined): Hash =>
  rlpBytes(rawString(raw, 'digest'), 'digest', 32)

/** Returns a view of 65 bytes. The signature itself is checked when the signer is recovered. @throws RlpError */
export const decodeSignature = (raw: RawItem | undefined, what: string): Seal =>
  rlpBytes(rawString(raw, what), what, 65)
