import { checkPrepared } from '../actions/commit.ts'
import type { PrepareMessage } from '../message.ts'
import type { Steps } from '../../steps.ts'
import type { HeightState } from '../state.ts'
import { keyOf, type TransitionContext } from '../transitionContext.ts'
import type { From } from './from.ts'
import { receiveVote, withVote } from './vote.ts'

/** Handles a prepare of another validator ("validPrepares"). */
export function* handlePrepare(
  context: TransitionContext,
  height: HeightState,
  message: PrepareMessage,
  from: From,
): Steps<HeightState> {
  const received = receiveVote(context, height, message, from)
  const { round } = received.height
  if (!received.isCountable || round === undefined) return received.height
  return yield* checkPrepared(context, {
    ...received.height,
    round: withVote(round, message, keyOf(from.author)),
  })
}
