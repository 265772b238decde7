import { equalBytes } from '../../bytes/bytes.ts'
import { toHex } from '../../bytes/hex.ts'
import { decodeExtraData } from '../../chain/codec/extraData.ts'
import type { OpenedProposal } from '../codec/proposal.ts'
import { proposalDigest, withRound } from '../codec/roundOfBlock.ts'
import { type PreparedMetadata, type ProposalMessage, QBFT_CODES, type SignedPrepare } from '../message.ts'
import { authorOf } from '../signing.ts'
import {
  certificateRule,
  highestPrepared,
  roundChangeSignersRule,
  roundChangesRule,
} from './justification.ts'
import { type Broken, broken, type RuleContext } from './rule.ts'

/** A new block is made by who proposes it. */
const creatorRule = ({ signed }: ProposalMessage): Broken | undefined => {
  const author = authorOf(QBFT_CODES.proposal, signed)
  if (author === undefined) return broken('bad-signature', 'a signature that belongs to nobody')
  const { coinbase } = signed.payload.block.header
  return equalBytes(coinbase, author)
    ? undefined
    : broken('invalid-block', `a new block by ${toHex(coinbase)}, proposed by ${toHex(author)}`)
}

const firstRoundRule = (message: ProposalMessage): Broken | undefined =>
  message.roundChanges.length > 0 || message.prepares.length > 0
    ? broken('unjustified', 'round 0 needs no justification')
    : creatorRule(message)

const noPreparesRule = (prepares: readonly SignedPrepare[]): Broken | undefined =>
  prepares.length > 0 ? broken('unjustified', 'prepares, but nobody was prepared') : undefined

const unpreparedRule = (message: ProposalMessage): Broken | undefined =>
  noPreparesRule(message.prepares) ?? creatorRule(message)

/**
 * The round in the block's extraData is the proposal's, or 0 as GoQuorum and Besu up to 24.11 write it. Besu takes any; but a
 * block prepared under a round that nobody can guess could never be proposed again, and the height would be stuck.
 */
const blockRoundRule = ({ signed }: ProposalMessage): Broken | undefined => {
  const { round, block } = signed.payload
  const carried = decodeExtraData(block.header.extraData).round
  return carried === round || carried === 0
    ? undefined
    : broken('invalid-block', `a block of round ${carried} in round ${round}`)
}

/** The block is the one that was prepared in the highest round, whoever made it, with another round in it. */
const preparedRule = (
  context: RuleContext,
  { signed, prepares }: ProposalMessage,
  prepared: PreparedMetadata,
): Broken | undefined =>
  [prepared.round, 0].some(round =>
    equalBytes(proposalDigest(withRound(signed.payload.block, round)), prepared.digest),
  )
    ? certificateRule(context, prepares, prepared)
    : broken('wrong-digest', `not the block that was prepared in round ${prepared.round}`)

const laterRoundRule = (context: RuleContext, message: ProposalMessage): Broken | undefined => {
  const { roundChanges, signed } = message
  const unjustified = roundChangesRule(context, roundChanges, signed.payload.round)
  if (unjustified !== undefined) return unjustified
  const prepared = highestPrepared(roundChanges)
  const invalid = prepared === undefined ? unpreparedRule(message) : preparedRule(context, message, prepared)
  return invalid ?? roundChangeSignersRule(context, roundChanges)
}

/**
 * What of the justification can be judged without the block: that it is signed, by whom, and for this height and round. The
 * block costs more to read than all of it.
 */
export const justificationRule = (
  context: RuleContext,
  { signed, roundChanges, prepares }: OpenedProposal,
): Broken | undefined => {
  const { round } = signed.payload
  if (round === 0)
    return roundChanges.length > 0 || prepares.length > 0
      ? broken('unjustified', 'round 0 needs no justification')
      : undefined
  const unjustified = roundChangesRule(context, roundChanges, round)
  if (unjustified !== undefined) return unjustified
  const prepared = highestPrepared(roundChanges)
  const invalid =
    prepared === undefined ? noPreparesRule(prepares) : certificateRule(context, prepares, prepared)
  return invalid ?? roundChangeSignersRule(context, roundChanges)
}

/**
 * What justifies a proposal ("isProposalJustification"): nothing in round 0; above it a quorum of round changes to that
 * round, and where some of those were prepared, the block of the highest round with a quorum of prepares. A block that was
 * not prepared has its proposer as coinbase. Left to the caller: that the author is the round's proposer, and the block's
 * own rules and execution.
 */
export const proposalRule = (context: RuleContext, message: ProposalMessage): Broken | undefined => {
  const { sequence, round, block } = message.signed.payload
  if (sequence !== context.sequence)
    return broken('unjustified', `proposal of height ${sequence}, not ${context.sequence}`)
  if (block.header.number !== sequence)
    return broken('invalid-block', `block ${block.header.number} in height ${sequence}`)
  return blockRoundRule(message) ?? (round === 0 ? firstRoundRule(message) : laterRoundRule(context, message))
}
