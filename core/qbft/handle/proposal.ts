import { equalBytes } from '../../bytes/bytes.ts'
import { qbftBlockHash, qbftSealHash } from '../../block/codec/blockHash.ts'
import type { Steps } from '../../steps.ts'
import { acceptProposal } from '../actions/accept.ts'
import { decodeMessageSteps } from '../codec/message.ts'
import { noteLateSignature, noteSignature } from '../actions/evidence.ts'
import type { OpenedMessage } from '../codec/message.ts'
import { openProposal, readProposal } from '../codec/proposal.ts'
import { type ProposalMessage, QBFT_CODES } from '../message.ts'
import { reservePrepare } from '../actions/signing.ts'
import { currentRound, enterRound, proposerIn } from '../actions/rounds.ts'
import { bodyRule } from '../rules/body.ts'
import { justificationRule, proposalRule } from '../rules/proposal.ts'
import { rememberAuthor } from '../signatures.ts'
import type { HeightState, ProposalCandidate } from '../state.ts'
import { drop, dropInvalid, type TransitionContext } from '../transitionContext.ts'
import { requestVerdict, verdictOn } from '../actions/verdicts.ts'
import { decoded, decodedSteps } from './decoded.ts'
import type { From } from './from.ts'

/**
 * Accepts or drops a justified proposal of the current round according to the verdict on its block; without a verdict,
 * requests the verification.
 */
function* verifyOrAccept(
  context: TransitionContext,
  height: HeightState,
  candidate: ProposalCandidate,
): Steps<HeightState> {
  const { round } = height
  if (round === undefined) return height
  const { block } = candidate.message.signed.payload
  const verdict = verdictOn(height, candidate.hash)
  // Verification checks the body, too, but a known verdict may be of another body with the same hash.
  const bodyViolation = verdict === undefined ? undefined : yield* bodyRule(block)
  if (dropInvalid(context, bodyViolation, candidate)) return height
  if (verdict?.state === 'valid') return yield* acceptProposal(context, height, candidate)
  if (verdict?.state === 'invalid') {
    drop(context, 'invalid-block', candidate, verdict.why)
    return height
  }
  const reserved = reservePrepare(height, round.round, candidate.digest)
  return requestVerdict(context, { ...reserved, round: { ...round, candidate } }, block, candidate.hash)
}

/** Decodes the proposal with its block if its justification is valid. */
function* readJustified(
  context: TransitionContext,
  height: HeightState,
  from: From,
): Steps<ProposalMessage | undefined> {
  const opened = decoded(context, from, () => openProposal(from.wire.data))
  if (opened === undefined) return undefined
  rememberAuthor(QBFT_CODES.proposal, opened.signed, from.author)
  const ruleContext = { validators: height.head.validators, sequence: height.sequence }
  if (dropInvalid(context, justificationRule(ruleContext, opened), from)) return undefined
  const message = yield* decodedSteps(
    context,
    from,
    readProposal(opened, context.environment.knownTransaction),
  )
  if (message === undefined) return undefined
  rememberAuthor(QBFT_CODES.proposal, message.signed, from.author)
  return message
}

/** Checks a late proposal for equivocation only, and whether it can be decoded: nothing else is passed on. */
function* noteLateProposal(context: TransitionContext, height: HeightState, from: From): Steps<HeightState> {
  const message = yield* decodedSteps(context, from, decodeMessageSteps(from.wire.code, from.wire.data))
  return message?.kind === 'proposal' ? noteLateSignature(context, height, message, from) : height
}

/**
 * Handles a proposal of another validator. Checks proposer and justification immediately ("isValidProposalJustification"),
 * and the block once for each hash. A proposal for a later round, or for round 0 before this validator's timer, starts that
 * round, because its justification proves that a quorum is in it.
 */
export function* handleProposal(
  context: TransitionContext,
  height: HeightState,
  { signed }: OpenedMessage,
  from: From,
): Steps<HeightState> {
  const { round } = signed.payload
  const current = currentRound(height)
  const proposer = proposerIn(height, round)
  if (proposer === undefined || !equalBytes(proposer, from.author)) {
    drop(context, 'not-the-proposer', from, `proposal of round ${round}`)
    return height
  }
  if (height.importing !== undefined || round < current) {
    drop(context, 'past-round', from, `proposal of round ${round}`)
    return yield* noteLateProposal(context, height, from)
  }
  const message = yield* readJustified(context, height, from)
  if (message === undefined) return height
  const open = round === current ? height.round : undefined
  const noted =
    open === undefined ? height : { ...height, round: noteSignature(context, open, message, from) }
  if (open?.candidate !== undefined || open?.proposal !== undefined) {
    drop(context, 'superseded', from, `a second proposal of round ${round}`)
    return noted
  }
  const ruleContext = { validators: height.head.validators, sequence: height.sequence }
  if (dropInvalid(context, proposalRule(ruleContext, message), from)) return noted
  const { block } = message.signed.payload
  const begun = round === current ? noted : begin(context, height, message, from)
  return yield* verifyOrAccept(context, begun, {
    message,
    author: from.author,
    peer: from.peer,
    digest: qbftSealHash(block.header),
    hash: qbftBlockHash(block.header),
  })
}

const begin = (
  context: TransitionContext,
  height: HeightState,
  message: ProposalMessage,
  from: From,
): HeightState => {
  const { round } = message.signed.payload
  const entered = enterRound(context, height, round, 'proposal')
  return {
    ...entered,
    actionedRound: Math.max(height.actionedRound, round),
    round: entered.round === undefined ? undefined : noteSignature(context, entered.round, message, from),
  }
}
