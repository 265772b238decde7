import type { HeightState } from '../../core/qbft/state.ts'

/** The steps of a round; `import` is from a quorum of commits to the new head. */
export type RoundStep = 'propose' | 'prepare' | 'commit' | 'import'

export type RoundStepListener = {
  /** A step has ended. Times in milliseconds since 1970. */
  step(step: RoundStep, sinceMs: number, nowMs: number): void
  /** A quorum of messages has arrived. @param sinceMs when the proposal arrived, or was built here */
  quorum(phase: 'prepare' | 'commit', sinceMs: number, nowMs: number): void
}

/** When a round reached its steps, milliseconds since 1970. */
type Marks = {
  readonly sequence: bigint
  readonly round: number
  readonly startedMs: number
  /** A justified proposal arrived, or was built here. */
  readonly candidateMs?: number
  /** It was verified. */
  readonly proposedMs?: number
  readonly preparedMs?: number
  readonly committedMs?: number
}

export type RoundSteps = {
  stepped(state: HeightState, nowMs: number): void
  newHead(nowMs: number): void
}

/** Follows the steps of each round in the states of the machine. */
export const createRoundSteps = (listener: RoundStepListener): RoundSteps => {
  let marks: Marks | undefined

  const ended = (step: RoundStep, sinceMs: number | undefined, nowMs: number): void => {
    if (sinceMs !== undefined) listener.step(step, sinceMs, nowMs)
  }
  const reached = (phase: 'prepare' | 'commit', nowMs: number): void => {
    if (marks?.candidateMs !== undefined) listener.quorum(phase, marks.candidateMs, nowMs)
  }

  return {
    stepped: ({ sequence, round, importing }, nowMs) => {
      if (round === undefined) return
      if (marks?.sequence !== sequence || marks.round !== round.round)
        marks = { sequence, round: round.round, startedMs: nowMs }
      if (marks.candidateMs === undefined && (round.candidate ?? round.proposal) !== undefined)
        marks = { ...marks, candidateMs: nowMs }
      if (marks.proposedMs === undefined && round.proposal !== undefined) {
        ended('propose', marks.startedMs, nowMs)
        marks = { ...marks, proposedMs: nowMs }
      }
      if (marks.preparedMs === undefined && round.prepared) {
        ended('prepare', marks.proposedMs, nowMs)
        reached('prepare', nowMs)
        marks = { ...marks, preparedMs: nowMs }
      }
      if (marks.committedMs === undefined && importing !== undefined) {
        ended('commit', marks.preparedMs ?? marks.proposedMs, nowMs)
        reached('commit', nowMs)
        marks = { ...marks, committedMs: nowMs }
      }
    },
    newHead: nowMs => {
      ended('import', marks?.committedMs, nowMs)
      marks = undefined
    },
  }
}
