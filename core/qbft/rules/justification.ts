import { equalBytes } from '../../bytes/bytes.ts'
import { quorumOf } from '../../validators/quorum.ts'
import {
  type PreparedMetadata,
  QBFT_CODES,
  type Signed,
  type SignedPrepare,
  type SignedRoundChange,
} from '../message.ts'
import { type RuleViolation, violation, type RuleContext } from './rule.ts'
import { distinctSignersRule, signerRule } from './signers.ts'

/** At least a quorum and at most one for each validator, because more would repeat authors. */
const countRule = (
  { validators }: RuleContext,
  list: readonly Signed<unknown>[],
  what: string,
): RuleViolation | undefined => {
  const quorum = quorumOf(validators.length)
  if (list.length < quorum) return violation('unjustified', `${list.length} ${what}, a quorum is ${quorum}`)
  return list.length > validators.length
    ? violation('unjustified', `${list.length} ${what} of ${validators.length} validators`)
    : undefined
}

const roundChangeFieldsRule = (
  { sequence }: RuleContext,
  { payload }: SignedRoundChange,
): RuleViolation | undefined => {
  const { round, prepared } = payload
  if (payload.sequence !== sequence)
    return violation('unjustified', `round change of height ${payload.sequence}, not ${sequence}`)
  if (round === 0) return violation('unjustified', 'round change to round 0')
  return prepared !== undefined && prepared.round >= round
    ? violation('unjustified', `round change to ${round}, prepared in ${prepared.round}`)
    : undefined
}

/**
 * A valid signed round change ("validRoundChange"): by a validator, of this height, for a round above 0, and prepared in an
 * earlier round if at all.
 */
export const signedRoundChangeRule = (
  context: RuleContext,
  signed: SignedRoundChange,
): RuleViolation | undefined =>
  roundChangeFieldsRule(context, signed) ?? signerRule(context, QBFT_CODES['round-change'], signed)

const roundChangeToRule = (
  context: RuleContext,
  signed: SignedRoundChange,
  round: number,
): RuleViolation | undefined =>
  signed.payload.round === round
    ? roundChangeFieldsRule(context, signed)
    : violation('unjustified', `round change to ${signed.payload.round} for round ${round}`)

/** Honest validators never prepare two blocks in one round. */
const onePreparedPerRoundRule = (roundChanges: readonly SignedRoundChange[]): RuleViolation | undefined => {
  const digests = new Map<number, PreparedMetadata>()
  for (const { payload } of roundChanges) {
    const { prepared } = payload
    if (prepared === undefined) continue
    const other = digests.get(prepared.round)
    if (other !== undefined && !equalBytes(other.digest, prepared.digest))
      return violation('unjustified', `two digests prepared in round ${prepared.round}`)
    digests.set(prepared.round, prepared)
  }
  return undefined
}

/**
 * The round changes of a proposal for `round`, except their signatures: a quorum, each valid and for this round, with one
 * digest for each prepared round.
 */
export const roundChangesRule = (
  context: RuleContext,
  roundChanges: readonly SignedRoundChange[],
  round: number,
): RuleViolation | undefined => {
  const countViolation = countRule(context, roundChanges, 'round changes')
  if (countViolation !== undefined) return countViolation
  for (const signed of roundChanges) {
    const invalid = roundChangeToRule(context, signed, round)
    if (invalid !== undefined) return invalid
  }
  return onePreparedPerRoundRule(roundChanges)
}

/** Each round change is signed by a different validator. */
export const roundChangeSignersRule = (
  context: RuleContext,
  roundChanges: readonly SignedRoundChange[],
): RuleViolation | undefined => distinctSignersRule(context, QBFT_CODES['round-change'], roundChanges)

/** The highest prepared round of the round changes, with its digest ("isHighestPrepared"). */
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
): RuleViolation | undefined => {
  if (payload.sequence !== sequence)
    return violation('unjustified', `prepare of height ${payload.sequence}, not ${sequence}`)
  if (payload.round !== round)
    return violation('unjustified', `prepare of round ${payload.round}, not ${round}`)
  return equalBytes(payload.digest, digest)
    ? undefined
    : violation('unjustified', 'prepare of another digest')
}

/**
 * The prepares of a certificate: a quorum by different validators, all of this height, round and digest
 * ("validSignedPrepareForHeightRoundAndDigest").
 */
export const certificateRule = (
  context: RuleContext,
  prepares: readonly SignedPrepare[],
  prepared: PreparedMetadata,
): RuleViolation | undefined => {
  const countViolation = countRule(context, prepares, 'prepares')
  if (countViolation !== undefined) return countViolation
  for (const signed of prepares) {
    const invalid = prepareFieldsRule(context, signed, prepared)
    if (invalid !== undefined) return invalid
  }
  return distinctSignersRule(context, QBFT_CODES.prepare, prepares)
}
