import type { Steps } from '../../steps.ts'
import type { Timer } from '../input.ts'
import { beginProposal } from '../actions/propose.ts'
import { lowestRound, NO_ROUND } from '../restart/recall.ts'
import { changeRound, changeRoundAgain } from '../actions/roundChanges.ts'
import { enterRound, heardIn, startResendTimer, startRoundTimer } from '../actions/rounds.ts'
import type { HeightState } from '../state.ts'
import { roundTimeoutMs, unheardMaxMs } from '../actions/timeouts.ts'
import { emit, others, type TransitionContext } from '../transitionContext.ts'

const repeatRoundChange = (context: TransitionContext, { ownRoundChange, head }: HeightState): void => {
  const to = others(context, head.validators)
  if (ownRoundChange !== undefined && to.length > 0)
    emit(context, { kind: 'broadcast', message: ownRoundChange, to })
}

/** Starts the timer for the next check for transactions: after a period, or earlier when an empty block is allowed. */
export const waitForTransactions = (context: TransitionContext, { head, sequence }: HeightState): void =>
  emit(context, {
    kind: 'start-timer',
    timer: { kind: 'block', sequence },
    atMs: Math.min(head.emptyAtMs + 1, context.nowMs + head.periodMs),
  })

/**
 * Handles the block timer: starts round 0. While an empty block is not allowed, every validator waits, so that none
 * requests another round.
 */
function* blockTimerFired(
  context: TransitionContext,
  height: HeightState,
  transactionsWaiting: boolean,
): Steps<HeightState> {
  if (height.round !== undefined) return height
  if (!transactionsWaiting && context.nowMs <= height.head.emptyAtMs) {
    waitForTransactions(context, height)
    return height
  }
  const lowest = lowestRound(height)
  // This validator must not sign in round 0, so it immediately requests the lowest round in which it may sign.
  if (lowest > 0 && lowest !== NO_ROUND) return yield* changeRound(context, height, lowest, 'restart')
  return yield* beginProposal(context, enterRound(context, height, 0, 'block-timer'))
}

/** Handles transactions that arrive in an empty pool while this validator waits with the block. */
export function* handleTransactions(context: TransitionContext, height: HeightState): Steps<HeightState> {
  return context.nowMs < height.head.readyAtMs || height.importing !== undefined
    ? height
    : yield* blockTimerFired(context, height, true)
}

/**
 * True if this validator may sign a round change for the round. It may not for round 0, for the round of its certificate (a
 * certificate must be of an earlier round), or below the lowest round in which it may sign.
 */
const canRequest = (height: HeightState, round: number): boolean => {
  const { certificate } = height
  const lowest = lowestRound(height)
  const isAllowed = lowest === NO_ROUND || round >= lowest
  return isAllowed && round > 0 && (certificate === undefined || certificate.round < round)
}

/**
 * Handles a round timeout ("UponRoundTimeout"). While no quorum is heard in a round, this validator stays in it and repeats
 * its round change: a validator that is alone, or whose signer fails, would otherwise run ahead of the others. After a
 * while the timeout starts again from the base.
 */
function* roundTimerFired(context: TransitionContext, height: HeightState): Steps<HeightState> {
  const { round, quorum, ownRoundChange } = height
  if (round === undefined) return height
  const isQuorumHeard = heardIn(context, height).length >= quorum
  if (isQuorumHeard || !canRequest(height, round.round)) {
    const failedRounds = isQuorumHeard ? height.failedRounds + 1 : height.failedRounds
    return yield* changeRound(context, { ...height, failedRounds }, round.round + 1, 'timeout')
  }
  const heldMs = height.heldMs + roundTimeoutMs(context.environment, height)
  const failedRounds = heldMs < unheardMaxMs(context.environment) ? height.failedRounds : 0
  const held: HeightState = { ...height, heldMs, failedRounds }
  startRoundTimer(context, held)
  if (ownRoundChange === undefined) return yield* changeRoundAgain(context, held)
  repeatRoundChange(context, held)
  return held
}

/** Handles a timer. Ignores timers of another height or round, and all timers after a quorum of commits. */
export function* handleTimer(
  context: TransitionContext,
  height: HeightState,
  timer: Timer,
  transactionsWaiting: boolean,
): Steps<HeightState> {
  if (
    timer.kind === 'recall' ||
    !height.active ||
    timer.sequence !== height.sequence ||
    height.importing !== undefined
  )
    return height
  switch (timer.kind) {
    case 'block':
      return yield* blockTimerFired(context, height, transactionsWaiting)
    case 'round':
      return timer.round === height.round?.round ? yield* roundTimerFired(context, height) : height
    case 'resend':
      repeatRoundChange(context, height)
      startResendTimer(context, height)
      return height
  }
}
