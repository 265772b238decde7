import { equalBytes } from '../../bytes/bytes.ts'
import { toHex } from '../../bytes/hex.ts'
import { decodeExtraData } from '../../block/codec/extraData.ts'
import type { OpenedProposal } from '../codec/proposal.ts'
import { proposalDigest, withRound } from '../codec/roundOfBlock.ts'
import { type PreparedMetadata, type ProposalMessage, QBFT_CODES, type SignedPrepare } from '../message.ts'
import { authorOf } from '../signatures.ts'
import {
  certificateRule,
  highestPrepared,
  roundChangeSignersRule,
  roundChangesRule,
} from './justification.ts'
import { type RuleViolation, violation, type RuleContext } from './rule.ts'

/** The coinbase of a new block is its proposer. */
const creatorRule = ({ signed }: ProposalMessage): RuleViolation | undefined => {
  const author = authorOf(QBFT_CODES.proposal, signed)
  if (author === undefined)
    return violation('bad-signature', 'no address can be recovered from the signature')
  const { coinbase } = signed.payload.block.header
  return equalBytes(coinbase, author)
    ? undefined
    : violation('invalid-block', `a new block with coinbase ${toHex(coinbase)}, proposed by ${toHex(author)}`)
}

const firstRoundRule = (message: ProposalMessage): RuleViolation | undefined =>
  message.roundChanges.length > 0 || message.prepares.length > 0
    ? violation('unjustified', 'round 0 needs no justification')
    : creatorRule(message)

const noPreparesRule = (prepares: readonly SignedPrepare[]): RuleViolation | undefined =>
  prepares.length > 0 ? violation('unjustified', 'prepares without a prepared round change') : undefined

const unpreparedRule = (message: ProposalMessage): RuleViolation | undefined =>
  noPreparesRule(message.prepares) ?? creatorRule(message)

/**
 * The round in the block's extraData is the proposal's, or 0, which GoQuorum and Besu up to 24.11 write. Besu accepts any
 * round, but a block prepared with an arbitrary round could never be proposed again, and the height would stall.
 */
const blockRoundRule = ({ signed }: ProposalMessage): RuleViolation | undefined => {
  const { round, block } = signed.payload
  const carried = decodeExtraData(block.header.extraData).round
  return carried === round || carried === 0
    ? undefined
    : violation('invalid-block', `a block of round ${carried} in round ${round}`)
}

/** The block is the one prepared in the highest round, by any proposer, with only its round changed. */
const preparedRule = (
  context: RuleContext,
  { signed, prepares }: ProposalMessage,
  prepared: PreparedMetadata,
): RuleViolation | undefined =>
  [prepared.round, 0].some(round =>
    equalBytes(proposalDigest(withRound(signed.payload.block, round)), prepared.digest),
  )
    ? certificateRule(context, prepares, prepared)
    : violation('wrong-digest', `not the block that was prepared in round ${prepared.round}`)

const laterRoundRule = (context: RuleContext, message: ProposalMessage): RuleViolation | undefined => {
  const { roundChanges, signed } = message
  const justificationViolation = roundChangesRule(context, roundChanges, signed.payload.round)
  if (justificationViolation !== undefined) return justificationViolation
  const prepared = highestPrepared(roundChanges)
  const invalid = prepared === undefined ? unpreparedRule(message) : preparedRule(context, message, prepared)
  return invalid ?? roundChangeSignersRule(context, roundChanges)
}

/**
 * The part of the justification that does not need the block, whose decoding costs more than all other checks: signatures,
 * authors, height and round.
 */
export const justificationRule = (
  context: RuleContext,
  { signed, roundChanges, prepares }: OpenedProposal,
): RuleViolation | undefined => {
  const { round } = signed.payload
  if (round === 0)
    return roundChanges.length > 0 || prepares.length > 0
      ? violation('unjustified', 'round 0 needs no justification')
      : undefined
  const justificationViolation = roundChangesRule(context, roundChanges, round)
  if (justificationViolation !== undefined) return justificationViolation
  const prepared = highestPrepared(roundChanges)
  const invalid =
    prepared === undefined ? noPreparesRule(prepares) : certificateRule(context, prepares, prepared)
  return invalid ?? roundChangeSignersRule(context, roundChanges)
}

/**
 * The justification of a proposal ("isProposalJustification"). Round 0 has none. A later round has a quorum of round
 * changes for that round and, if one of them is prepared, the block of the highest prepared round with a quorum of
 * prepares. A block that was not prepared has its proposer as coinbase. The caller checks that the author is the round's
 * proposer, and verifies the block.
 */
export const proposalRule = (context: RuleContext, message: ProposalMessage): RuleViolation | undefined => {
  const { sequence, round, block } = message.signed.payload
  if (sequence !== context.sequence)
    return violation('unjustified', `proposal of height ${sequence}, not ${context.sequence}`)
  if (block.header.number !== sequence)
    return violation('invalid-block', `block ${block.header.number} in height ${sequence}`)
  return blockRoundRule(message) ?? (round === 0 ? firstRoundRule(message) : laterRoundRule(context, message))
}
