import { equalBytes, type Hash } from '../../bytes/bytes.ts'
import type { Block } from '../../block/block.ts'
import { qbftBlockHash } from '../../block/codec/blockHash.ts'
import type { Steps } from '../../steps.ts'
import { acceptProposal } from '../actions/accept.ts'
import { proposeVerified } from '../actions/propose.ts'
import { bodyRule } from '../rules/body.ts'
import type { HeightState } from '../state.ts'
import { drop, type TransitionContext } from '../transitionContext.ts'
import { requestVerdict, verdictOn, withoutVerdict, withVerdict } from '../actions/verdicts.ts'

/** The block with this hash that the current round waits for. */
const awaited = ({ round }: HeightState, hash: Hash): Block | undefined =>
  [round?.candidate?.message.signed.payload.block, round?.reproposal].find(
    block => block !== undefined && equalBytes(qbftBlockHash(block.header), hash),
  )

/**
 * Drops the proposal. If the body does not match the header, the header may still be valid: a block with the same hash and
 * the right body is then verified.
 */
function* handleInvalid(
  context: TransitionContext,
  height: HeightState,
  hash: Hash,
  why: string,
): Steps<HeightState> {
  const verdict = verdictOn(height, hash)
  const pending = verdict?.state === 'pending' ? verdict.block : undefined
  const isBodyWrong = pending !== undefined && (yield* bodyRule(pending)) !== undefined
  const updated = isBodyWrong
    ? withoutVerdict(height, hash)
    : withVerdict(height, hash, { state: 'invalid', why })
  const waiting = awaited(updated, hash)
  if (isBodyWrong && waiting !== undefined && waiting !== pending)
    return requestVerdict(context, updated, waiting, hash)
  const { round } = updated
  if (round?.candidate === undefined || !equalBytes(round.candidate.hash, hash)) return updated
  drop(context, 'invalid-block', round.candidate, why)
  return { ...updated, round: { ...round, candidate: undefined } }
}

/**
 * Handles a verification that ran out of time. The block is verified again if it was proposed again in a later round, whose
 * timeout may be longer, but not in the same round.
 */
export const handleUnverified = (
  context: TransitionContext,
  height: HeightState,
  hash: Hash,
): HeightState => {
  const verdict = verdictOn(height, hash)
  if (verdict?.state !== 'pending') return height
  const open = withoutVerdict(height, hash)
  const waiting = awaited(open, hash)
  const isLater = (height.round?.round ?? 0) > verdict.round
  return waiting !== undefined && isLater ? requestVerdict(context, open, waiting, hash) : open
}

/** Handles the verification result of a block: its proposal in the current round is accepted or dropped. */
export function* handleVerified(
  context: TransitionContext,
  height: HeightState,
  hash: Hash,
  invalid: string | undefined,
): Steps<HeightState> {
  if (invalid !== undefined) return yield* handleInvalid(context, height, hash, invalid)
  const updated = withVerdict(height, hash, { state: 'valid' })
  const candidate = updated.round?.candidate
  return candidate !== undefined && equalBytes(candidate.hash, hash)
    ? yield* acceptProposal(context, updated, candidate)
    : yield* proposeVerified(context, updated, hash)
}
