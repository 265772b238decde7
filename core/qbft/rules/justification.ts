import { equalBytes } from '../../bytes/bytes.ts'
import { quorumOf } from '../../validators/quorum.ts'
import {
  type PreparedMetadata,
  QBFT_CODES,
  type Signed,
  type SignedPrepare,
  type SignedRoundChange,
} from '../message.ts'
import { type Broken, broken, type RuleContext } from './rule.ts'
import { distinctSignersRule, signerRule } from './signers.ts'

/** Enough for a quorum, and no more than there are validators: the others could only repeat authors. */
const countRule = (
  { validators }: RuleContext,
  list: readonly Signed<unknown>[],
  what: string,
): Broken | undefined => {
  const quorum = quorumOf(validators.length)
  if (list.length < quorum) return broken('unjustified', `${list.length} ${what}, a quorum is ${quorum}`)
  return list.length > validators.length
    ? broken('unjustified', `${list.length} ${what} of ${validators.length} validators`)
    : undefined
}

const roundChangeFieldsRule = (
  { sequence }: RuleContext,
  { payload }: SignedRoundChange,
): Broken | undefined => {
  const { round, prepared } = payload
  if (payload.sequence !== sequence)
    return broken('unjustified', `round change of height ${payload.sequence}, not ${sequence}`)
  if (round === 0) return broken('unjustified', 'round change to round 0')
  return prepared !== undefined && prepared.round >= round
    ? broken('unjustified', `round change to ${round}, prepared in ${prepared.round}`)
    : undefined
}

/**
 * A signed round change ("validRoundChange"): by a validator, of this height, to a round above 0, prepared in an earlier
 * round if at all.
 */
export const signedRoundChangeRule = (context: RuleContext, signed: SignedRoundChange): Broken | undefined =>
  roundChangeFieldsRule(context, signed) ?? signerRule(context, QBFT_CODES['round-change'], signed)

const roundChangeToRule = (
  context: RuleContext,
  signed: SignedRoundChange,
  round: number,
): Broken | undefined =>
  signed.payload.round === round
    ? roundChangeFieldsRule(context, signed)
    : broken('unjustified', `round change to ${signed.payload.round} for round ${round}`)

/** Honest validators never prepare two blocks in one round. */
const onePreparedPerRoundRule = (roundChanges: readonly SignedRoundChange[]): Broken | undefined => {
  const digests = new Map<number, PreparedMetadata>()
  for (const { payload } of roundChanges) {
    const { prepared } = payload
    if (prepared === undefined) continue
    const other = digests.get(prepared.round)
    if (other !== undefined && !equalBytes(other.digest, prepared.digest))
      return broken('unjustified', `two digests prepared in round ${prepared.round}`)
    digests.set(prepared.round, prepared)
  }
  return undefined
}

/**
 * The round changes of a proposal for `round`, all but their signatures: a quorum, each to this round and in itself valid,
 * with one digest for each prepared round.
 */
export const roundChangesRule = (
  context: RuleContext,
  roundChanges: readonly SignedRoundChange[],
  round: number,
): Broken | undefined => {
  const uncounted = countRule(context, roundChanges, 'round changes')
  if (uncounted !== undefined) return uncounted
  for (const signed of roundChanges) {
    const invalid = roundChangeToRule(context, signed, round)
    if (invalid !== undefined) return invalid
  }
  return onePreparedPerRoundRule(roundChanges)
}

/** Signed by validators, each by another one. */
export const roundChangeSignersRule = (
  context: RuleContext,
  roundChanges: readonly SignedRoundChange[],
): Broken | undefined => distinctSignersRule(context, QBFT_CODES['round-change'], roundChanges)

/** The highest round that one of them was prepared in, with its digest ("isHighestPrepared"). */
export const highestPrepared = (roundChanges: readonly SignedRoundChange[]): PreparedMetadata | undefined => {
  let highest: PreparedMetadata | undefined
  for (const { payload } of roundChanges) {
    const { prepared } = payload
    if (prepared !== undefined && (highest === undefined || prepared.round > highest.round))
      highest = prepared
  }
  return highest
}

const prepareFieldsRule = (
  { sequence }: RuleContext,
  { payload }: SignedPrepare,
  { round, digest }: PreparedMetadata,
): Broken | undefined => {
  if (payload.sequence !== sequence)
    return broken('unjustified', `prepare of height ${payload.sequence}, not ${sequence}`)
  if (payload.round !== round) return broken('unjustified', `prepare of round ${payload.round}, not ${round}`)
  return equalBytes(payload.digest, digest) ? undefined : broken('unjustified', 'prepare of another digest')
}

/**
 * The prepares of a certificate: a quorum by different validators, all of this height and of what was prepared
 * ("validSignedPrepareForHeightRoundAndDigest").
 */
export const certificateRule = (
  context: RuleContext,
  prepares: readonly SignedPrepare[],
  prepared: PreparedMetadata,
): Broken | undefined => {
  const uncounted = countRule(context, prepares, 'prepares')
  if (uncounted !== undefined) return uncounted
  for (const signed of prepares) {
    const invalid = prepareFieldsRule(context, signed, prepared)
    if (invalid !== undefined) return invalid
  }
  return distinctSignersRule(context, QBFT_CODES.prepare, prepares)
}
