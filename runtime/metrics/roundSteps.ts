import type { HeightState } from '../../core/qbft/state.ts'
import { marksAfter, type RoundMarks } from '../consensus/reports/roundMarks.ts'

/** The steps of a round; `import` is from a quorum of commits to the new head. */
export type RoundStep = 'propose' | 'prepare' | 'commit' | 'import'

export type RoundStepListener = {
  /** A step has ended. Times in milliseconds since 1970. */
  step(step: RoundStep, sinceMs: number, nowMs: number): void
  /** A quorum of messages has arrived. @param sinceMs when the proposal arrived, or was built here */
  quorum(phase: 'prepare' | 'commit', sinceMs: number, nowMs: number): void
}

export type RoundSteps = {
  stepped(state: HeightState, nowMs: number): void
  newHead(nowMs: number): void
}

/** Follows the steps of each round in the states of the machine. */
export const createRoundSteps = (listener: RoundStepListener): RoundSteps => {
  let marks: RoundMarks | undefined

  const ended = (step: RoundStep, sinceMs: number | undefined, nowMs: number): void => {
    if (sinceMs !== undefined) listener.step(step, sinceMs, nowMs)
  }
  const reached = (phase: 'prepare' | 'commit', { candidateMs }: RoundMarks, nowMs: number): void => {
    if (candidateMs !== undefined) listener.quorum(phase, candidateMs, nowMs)
  }

  return {
    stepped: (height, nowMs) => {
      const now = marksAfter(marks, height, nowMs)
      if (now === undefined || now === marks) return
      const isSameRound = marks?.sequence === now.sequence && marks.round === now.round
      const before = isSameRound ? marks : undefined
      marks = now
      if (before?.proposedMs === undefined && now.proposedMs !== undefined)
        ended('propose', now.startedMs, nowMs)
      if (before?.preparedMs === undefined && now.preparedMs !== undefined) {
        ended('prepare', now.proposedMs, nowMs)
        reached('prepare', now, nowMs)
      }
      if (before?.committedMs === undefined && now.committedMs !== undefined) {
        ended('commit', now.preparedMs ?? now.proposedMs, nowMs)
        reached('commit', now, nowMs)
      }
    },
    newHead: nowMs => {
      ended('import', marks?.committedMs, nowMs)
      marks = undefined
    },
  }
}
