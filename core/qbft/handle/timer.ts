import type { Timer } from '../input.ts'
import { beginProposal } from '../propose.ts'
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
const blockTimerFired = (turn: Turn, height: HeightState, transactionsWaiting: boolean): HeightState => {
  if (height.round !== undefined) return height
  if (!transactionsWaiting && turn.nowMs <= height.head.emptyAtMs) {
    waitForTransactions(turn, height)
    return height
  }
  return beginProposal(turn, enterRound(turn, height, 0, 'block-timer'))
}

/** The pool has something for a block that this validator waited with. */
export const handleTransactions = (turn: Turn, height: HeightState): HeightState =>
  turn.nowMs < height.head.readyAtMs || height.importing !== undefined
    ? height
    : blockTimerFired(turn, height, true)

/** Round 0 cannot be asked for, nor one that this validator was prepared in: a certificate is of an earlier round. */
const canAskFor = ({ certificate }: HeightState, round: number): boolean =>
  round > 0 && (certificate === undefined || certificate.round < round)

/**
 * "UponRoundTimeout". A round in which no quorum was heard is not left but asked for, again and again: alone a validator
 * would run ahead of those that come back, and so would one whose signer fails. In the end the timeout starts over small.
 */
const roundTimerFired = (turn: Turn, height: HeightState): HeightState => {
  const { round, quorum, ownRoundChange } = height
  if (round === undefined) return height
  const isQuorumHeard = heardIn(turn, height).length >= quorum
  if (isQuorumHeard || !canAskFor(height, round.round)) {
    const failedRounds = isQuorumHeard ? height.failedRounds + 1 : height.failedRounds
    return changeRound(turn, { ...height, failedRounds }, round.round + 1, 'timeout')
  }
  const heldMs = height.heldMs + roundTimeoutMs(turn.environment, height)
  const failedRounds = heldMs < unheardMaxMs(turn.environment) ? height.failedRounds : 0
  const held: HeightState = { ...height, heldMs, failedRounds }
  startRoundTimer(turn, held)
  if (ownRoundChange === undefined) return changeRoundAgain(turn, held)
  repeatRoundChange(turn, held)
  return held
}

/** A timer fired; one of another height or round is stale, and after a quorum of commits none counts. */
export const handleTimer = (
  turn: Turn,
  height: HeightState,
  timer: Timer,
  transactionsWaiting: boolean,
): HeightState => {
  if (!height.active || timer.sequence !== height.sequence || height.importing !== undefined) return height
  switch (timer.kind) {
    case 'block':
      return blockTimerFired(turn, height, transactionsWaiting)
    case 'round':
      return timer.round === height.round?.round ? roundTimerFired(turn, height) : height
    case 'resend':
      repeatRoundChange(turn, height)
      startResendTimer(turn, height)
      return height
  }
}
