import type { HeightState } from '../../../core/qbft/state.ts'

/** When a round reached its steps, milliseconds since 1970. */
export type RoundMarks = {
  readonly sequence: bigint
  readonly round: number
  readonly startedMs: number
  /** A justified proposal arrived, or was built here. */
  readonly candidateMs?: number
  /** It was verified. */
  readonly proposedMs?: number
  /** A quorum of prepares has arrived. */
  readonly preparedMs?: number
  /** A quorum of commits has arrived. */
  readonly committedMs?: number
}

/**
 * The marks of the current round after a step of the state machine; the same object where the step reached nothing new.
 * Undefined before the first round.
 */
export const marksAfter = (
  before: RoundMarks | undefined,
  { sequence, round, importing }: HeightState,
  nowMs: number,
): RoundMarks | undefined => {
  if (round === undefined) return before
  let marks: RoundMarks =
    before?.sequence === sequence && before.round === round.round
      ? before
      : { sequence, round: round.round, startedMs: nowMs }
  if (marks.candidateMs === undefined && (round.candidate ?? round.proposal) !== undefined)
    marks = { ...marks, candidateMs: nowMs }
  if (marks.proposedMs === undefined && round.proposal !== undefined) marks = { ...marks, proposedMs: nowMs }
  if (marks.preparedMs === undefined && round.prepared) marks = { ...marks, preparedMs: nowMs }
  if (marks.committedMs === undefined && importing !== undefined) marks = { ...marks, committedMs: nowMs }
  return marks
}
