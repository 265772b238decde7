import type { Steps } from '../../steps.ts'
import type { Timer } from '../input.ts'
import { beginProposal } from '../propose.ts'
import { lowestRound, NO_ROUND } from '../recall.ts'
import { changeRound, changeRoundAgain } from '../roundChanges.ts'
import { enterRound, heardIn, startResendTimer, startRoundTimer } from '../rounds.ts'
import type { HeightState } from '../state.ts'
import { roundTimeoutMs, unheardMaxMs } from '../timeouts.ts'
import { ask, others, type Turn } from '../turn.ts'

const repeatRoundChange = (turn: Turn, { ownRoundChange, head }: HeightState): void => {
  const to = others(turn, head.validators)
  if (ownRoundChange !== undefined && to.length > 0)
    ask(turn, { kind: 'broadcast', message: ownRoundChange, to })
}

/** Looks for transactions again after a period, and no later than when an empty block may be made. */
export const waitForTransactions = (turn: Turn, { head, sequence }: HeightState): void =>
  ask(turn, {
    kind: 'start-timer',
    timer: { kind: 'block', sequence },
    atMs: Math.min(head.emptyAtMs + 1, turn.nowMs + head.periodMs),
  })

/**
 * The next block may be made: round 0 begins. While it would be empty and must not be yet, every validator waits, so that
 * none asks for another round in the meantime.
 */
function* blockTimerFired(turn: Turn, height: HeightState, transactionsWaiting: boolean): Steps<HeightState> {
  if (height.round !== undefined) return height
  if (!transactionsWaiting && turn.nowMs <= height.head.emptyAtMs) {
    waitForTransactions(turn, height)
    return height
  }
  const lowest = lowestRound(height)
  // Not in round 0, then: the others are told at once which round it waits for.
  if (lowest > 0 && lowest !== NO_ROUND) return yield* changeRound(turn, height, lowest, 'restart')
  return yield* beginProposal(turn, enterRound(turn, height, 0, 'block-timer'))
}

/** The pool has something for a block that this validator waited with. */
export function* handleTransactions(turn: Turn, height: HeightState): Steps<HeightState> {
  return turn.nowMs < height.head.readyAtMs || height.importing !== undefined
    ? height
    : yield* blockTimerFired(turn, height, true)
}

/**
 * Round 0 cannot be asked for, nor one that this validator was prepared in: a certificate is of an earlier round. Nor can one below
 * the lowest that it signs in; before that is known it waits where it is.
 */
const canAskFor = (height: HeightState, round: number): boolean => {
  const { certificate } = height
  const lowest = lowestRound(height)
  const isAllowed = lowest === NO_ROUND || round >= lowest
  return isAllowed && round > 0 && (certificate === undefined || certificate.round < round)
}

/**
 * "UponRoundTimeout". A round in which no quorum was heard is not left but asked for, again and again: alone a validator
 * would run ahead of those that come back, and so would one whose signer fails. In the end the timeout starts over small.
 */
function* roundTimerFired(turn: Turn, height: HeightState): Steps<HeightState> {
  const { round, quorum, ownRoundChange } = height
  if (round === undefined) return height
  const isQuorumHeard = heardIn(turn, height).length >= quorum
  if (isQuorumHeard || !canAskFor(height, round.round)) {
    const failedRounds = isQuorumHeard ? height.failedRounds + 1 : height.failedRounds
    return yield* changeRound(turn, { ...height, failedRounds }, round.round + 1, 'timeout')
  }
  const heldMs = height.heldMs + roundTimeoutMs(turn.environment, height)
  const failedRounds = heldMs < unheardMaxMs(turn.environment) ? height.failedRounds : 0
  const held: HeightState = { ...height, heldMs, failedRounds }
  startRoundTimer(turn, held)
  if (ownRoundChange === undefined) return yield* changeRoundAgain(turn, held)
  repeatRoundChange(turn, held)
  return held
}

/** A timer fired; one of another height or round is stale, and after a quorum of commits none counts. */
export function* handleTimer(
  turn: Turn,
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
      return yield* blockTimerFired(turn, height, transactionsWaiting)
    case 'round':
      return timer.round === height.round?.round ? yield* roundTimerFired(turn, height) : height
    case 'resend':
      repeatRoundChange(turn, height)
      startResendTimer(turn, height)
      return height
  }
}
