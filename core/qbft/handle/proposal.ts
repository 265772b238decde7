import { equalBytes } from '../../bytes/bytes.ts'
import { qbftBlockHash, qbftSealHash } from '../../chain/codec/blockHash.ts'
import type { Steps } from '../../steps.ts'
import { acceptProposal } from '../accept.ts'
import { decodeMessageSteps } from '../codec/message.ts'
import { noteLateSignature, noteSignature } from '../evidence.ts'
import type { OpenedMessage } from '../codec/message.ts'
import { openProposal, readProposal } from '../codec/proposal.ts'
import { type ProposalMessage, QBFT_CODES } from '../message.ts'
import { foreseePrepare } from '../own.ts'
import { currentRound, enterRound, proposerIn } from '../rounds.ts'
import { bodyRule } from '../rules/body.ts'
import { justificationRule, proposalRule } from '../rules/proposal.ts'
import { rememberAuthor } from '../signing.ts'
import type { HeightState, ProposalCandidate } from '../state.ts'
import { drop, type Turn } from '../turn.ts'
import { requestVerdict, verdictOn } from '../verdicts.ts'
import { decoded, decodedSteps } from './decoded.ts'
import type { From } from './from.ts'

/** Goes on with a justified proposal of the current round as far as the verdict on its block lets it. */
function* consider(turn: Turn, height: HeightState, candidate: ProposalCandidate): Steps<HeightState> {
  const { round } = height
  if (round === undefined) return height
  const { block } = candidate.message.signed.payload
  const verdict = verdictOn(height, candidate.hash)
  // Verifying looks at the body too, but what is known under this hash may be known of another one.
  const misfit = verdict === undefined ? undefined : yield* bodyRule(block)
  if (misfit !== undefined) {
    drop(turn, misfit.reason, candidate, misfit.detail)
    return height
  }
  if (verdict?.state === 'valid') return acceptProposal(turn, height, candidate)
  if (verdict?.state === 'invalid') {
    drop(turn, 'invalid-block', candidate, verdict.why)
    return height
  }
  const foreseen = foreseePrepare(height, round.round, candidate.digest)
  return requestVerdict(turn, { ...foreseen, round: { ...round, candidate } }, block, candidate.hash)
}

/** The proposal with its block, if what is said to justify it does. */
function* readJustified(turn: Turn, height: HeightState, from: From): Steps<ProposalMessage | undefined> {
  const opened = decoded(turn, from, () => openProposal(from.wire.data))
  if (opened === undefined) return undefined
  rememberAuthor(QBFT_CODES.proposal, opened.signed, from.author)
  const context = { validators: height.head.validators, sequence: height.sequence }
  const unjustified = justificationRule(context, opened)
  if (unjustified !== undefined) {
    drop(turn, unjustified.reason, from, unjustified.detail)
    return undefined
  }
  const message = yield* decodedSteps(turn, from, readProposal(opened))
  if (message === undefined) return undefined
  rememberAuthor(QBFT_CODES.proposal, message.signed, from.author)
  return message
}

/** A proposal that comes too late is read for what its author signed, and for nothing else. */
function* noteLateProposal(turn: Turn, height: HeightState, round: number, from: From): Steps<HeightState> {
  const proposer = proposerIn(height, round)
  if (proposer === undefined || !equalBytes(proposer, from.author)) return height
  const message = yield* decodedSteps(turn, from, decodeMessageSteps(from.wire.code, from.wire.data))
  return message?.kind === 'proposal' ? noteLateSignature(turn, height, message, from) : height
}

/**
 * A proposal by another validator: who proposes and what justifies it are checked at once ("isValidProposalJustification"),
 * the block once for its hash. One for a later round, or for round 0 before the own timer, begins that round: its
 * justification proves that a quorum is there.
 */
export function* handleProposal(
  turn: Turn,
  height: HeightState,
  { signed }: OpenedMessage,
  from: From,
): Steps<HeightState> {
  const { round } = signed.payload
  const current = currentRound(height)
  if (height.importing !== undefined || round < current) {
    drop(turn, 'past-round', from, `proposal of round ${round}`)
    return yield* noteLateProposal(turn, height, round, from)
  }
  const proposer = proposerIn(height, round)
  if (proposer === undefined || !equalBytes(proposer, from.author)) {
    drop(turn, 'not-the-proposer', from, `proposal of round ${round}`)
    return height
  }
  const message = yield* readJustified(turn, height, from)
  if (message === undefined) return height
  const open = round === current ? height.round : undefined
  const noted = open === undefined ? height : { ...height, round: noteSignature(turn, open, message, from) }
  if (open?.candidate !== undefined || open?.proposal !== undefined) {
    drop(turn, 'superseded', from, `a second proposal of round ${round}`)
    return noted
  }
  const invalid = proposalRule({ validators: height.head.validators, sequence: height.sequence }, message)
  if (invalid !== undefined) {
    drop(turn, invalid.reason, from, invalid.detail)
    return noted
  }
  const { block } = message.signed.payload
  const begun = round === current ? noted : begin(turn, height, message, from)
  return yield* consider(turn, begun, {
    message,
    author: from.author,
    peer: from.peer,
    digest: qbftSealHash(block.header),
    hash: qbftBlockHash(block.header),
  })
}

const begin = (turn: Turn, height: HeightState, message: ProposalMessage, from: From): HeightState => {
  const { round } = message.signed.payload
  const entered = enterRound(turn, height, round, 'proposal')
  return {
    ...entered,
    actionedRound: Math.max(height.actionedRound, round),
    round: entered.round === undefined ? undefined : noteSignature(turn, entered.round, message, from),
  }
}
