import { equalBytes } from '../../bytes/bytes.ts'
import type { Block } from '../../block/block.ts'
import { qbftBlockHash, qbftSealHash } from '../../block/codec/blockHash.ts'
import type { Steps } from '../../steps.ts'
import { acceptProposal } from './accept.ts'
import { broadcastInRound } from './broadcast.ts'
import { withRound } from '../codec/roundOfBlock.ts'
import type { ProposalMessage, RoundChangeMessage } from '../message.ts'
import { signProposal } from './signing.ts'
import { lowestRound } from '../restart/recall.ts'
import { currentRound, proposerIn } from './rounds.ts'
import { assertInvariant } from '../invariant.ts'
import type { HeightState, RoundState } from '../state.ts'
import { emit, isSelf, type TransitionContext } from '../transitionContext.ts'
import { requestVerdict, verdictOn, withVerdict } from './verdicts.ts'

/** True when this validator is the proposer of the current round and has not proposed. */
const shouldPropose = (context: TransitionContext, height: HeightState): boolean => {
  const { round, signed } = height
  if (round === undefined || round.proposal !== undefined || round.candidate !== undefined) return false
  if (lowestRound(height) > round.round || (signed.round === round.round && signed.proposed !== undefined))
    return false
  const proposer = proposerIn(height, round.round)
  return proposer !== undefined && isSelf(context, proposer)
}

/** The round changes for the current round, in order of arrival. */
const roundChangesOf = (height: HeightState): readonly RoundChangeMessage[] =>
  [...height.roundChanges.values()].filter(({ signed }) => signed.payload.round === currentRound(height))

/** The round change with the highest prepared round ("highestPrepared"); undefined without a prepared one. */
const highestPrepared = (roundChanges: readonly RoundChangeMessage[]): RoundChangeMessage | undefined => {
  let best: RoundChangeMessage | undefined
  for (const candidate of roundChanges) {
    const { prepared } = candidate.signed.payload
    if (prepared !== undefined && prepared.round > (best?.signed.payload.prepared?.round ?? -1))
      best = candidate
  }
  return best
}

/**
 * Block timestamp in seconds. Round 0 rounds to the nearest second, as Besu does, so that a timer that fires slightly early
 * keeps the spacing; later rounds round down. Never earlier than the spacing rule allows.
 */
const timestampOf = ({ head }: HeightState, round: number, nowMs: number): bigint => {
  const now = BigInt(round === 0 ? Math.round(nowMs / 1000) : Math.floor(nowMs / 1000))
  const earliest = head.timestamp + BigInt(head.spacingSeconds)
  return now > earliest ? now : earliest
}

/**
 * Proposes the block in the current round with its justification, and accepts the proposal. Yields between encoding and
 * hashing a large block and encoding the message.
 */
function* propose(context: TransitionContext, height: HeightState, proposed: Block): Steps<HeightState> {
  const { round } = height
  if (round === undefined || !shouldPropose(context, height)) return height
  const block = withRound(proposed, context.environment.proposesRoundZero ? 0 : round.round)
  const made = yield* signProposal(context, height, round.round, block)
  if (made === undefined) return height
  yield
  const { justification } = round
  assertInvariant(
    round.round === 0 || justification.length >= height.quorum,
    'proposal-has-quorum',
    () => `${justification.length} round changes for round ${round.round}, a quorum is ${height.quorum}`,
  )
  const message: ProposalMessage = {
    kind: 'proposal',
    signed: made.signed,
    roundChanges: justification.map(({ signed }) => signed),
    prepares: highestPrepared(justification)?.prepares ?? [],
  }
  const { address } = context.environment
  const sent = broadcastInRound(context, made.height, message)
  yield
  return yield* acceptProposal(context, sent, {
    message,
    author: address,
    peer: address,
    digest: qbftSealHash(block.header),
    hash: qbftBlockHash(block.header),
  })
}

/**
 * Starts the proposal of the current round: the block of the best certificate, or a new one. Also fixes the round changes
 * that justify it. A round change that arrives while the block is built or verified could have a better certificate, or
 * replace the round change of its author.
 */
export function* beginProposal(context: TransitionContext, before: HeightState): Steps<HeightState> {
  if (before.round === undefined || !shouldPropose(context, before)) return before
  const justification = before.round.round === 0 ? [] : roundChangesOf(before)
  // A restarted validator waits before it may sign; meanwhile others may have left the round that a quorum requested.
  if (before.round.round > 0 && justification.length < before.quorum) return before
  const round: RoundState = { ...before.round, justification }
  const height: HeightState = { ...before, round }
  const block = highestPrepared(justification)?.block
  if (block === undefined) {
    const timestamp = timestampOf(height, round.round, context.nowMs)
    emit(context, { kind: 'build-block', sequence: height.sequence, round: round.round, timestamp })
    return height
  }
  const hash = qbftBlockHash(block.header)
  const verdict = verdictOn(height, hash)
  if (verdict?.state === 'valid') return yield* propose(context, height, block)
  if (verdict?.state === 'invalid') return height
  return requestVerdict(context, { ...height, round: { ...round, reproposal: block } }, block, hash)
}

/**
 * Proposes a block that this node built for the current round. The round may have begun again since it was asked for, after
 * consensus was paused: without round changes it justifies nothing.
 */
export function* proposeBuilt(
  context: TransitionContext,
  height: HeightState,
  block: Block,
): Steps<HeightState> {
  const { round } = height
  const isJustified = round?.round === 0 || (round?.justification.length ?? 0) >= height.quorum
  if (!isJustified) return height
  return yield* propose(context, withVerdict(height, qbftBlockHash(block.header), { state: 'valid' }), block)
}

/** Proposes the block of a certificate after its verification. */
export function* proposeVerified(
  context: TransitionContext,
  height: HeightState,
  hash: Uint8Array,
): Steps<HeightState> {
  const block = height.round?.reproposal
  return block === undefined || !equalBytes(qbftBlockHash(block.header), hash)
    ? height
    : yield* propose(context, height, block)
}
