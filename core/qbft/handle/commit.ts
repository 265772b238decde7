import { checkCommitted } from '../actions/commit.ts'
import type { CommitMessage } from '../message.ts'
import { commitRule } from '../rules/commit.ts'
import type { Steps } from '../../steps.ts'
import type { HeightState } from '../state.ts'
import { dropInvalid, keyOf, type TransitionContext } from '../transitionContext.ts'
import type { From } from './from.ts'
import { receiveVote, withVote } from './vote.ts'

/** Handles a commit of another validator ("validCommits"): its seal must be the author's over the proposed block. */
export function* handleCommit(
  context: TransitionContext,
  height: HeightState,
  message: CommitMessage,
  from: From,
): Steps<HeightState> {
  const received = receiveVote(context, height, message, from)
  const { round } = received.height
  if (!received.isCountable || round?.proposal === undefined) return received.height
  const { proposal } = round
  const violation = commitRule(message.signed, proposal.message.signed.payload.block, proposal.digest)
  if (dropInvalid(context, violation, from)) return received.height
  return yield* checkCommitted(context, {
    ...received.height,
    round: withVote(round, message, keyOf(from.author)),
  })
}
