import { type Address, equalBytes } from '../../../core/bytes/bytes.ts'
import { toHex } from '../../../core/bytes/hex.ts'
import type { HeightState } from '../../../core/qbft/state.ts'
import { keyOf } from '../../../core/qbft/transitionContext.ts'
import { proposerOf } from '../../../core/validators/proposer.ts'
import { marksAfter, type RoundMarks } from './roundMarks.ts'

/** How far a round of the current height got. Addresses in hex, times in milliseconds from its start. */
export type RoundProgress = {
  readonly round: number
  readonly proposer: string | undefined
  /** From its start to the start of the next round, or until now. */
  readonly lastedMs: number
  /** When a justified proposal arrived, or was built here. */
  readonly proposalMs: number | undefined
  /** When it was verified. */
  readonly verifiedMs: number | undefined
  /** When a quorum of prepares had arrived. */
  readonly preparedMs: number | undefined
  /** When a quorum of commits had arrived. */
  readonly committedMs: number | undefined
  /** The validators whose vote for the next step, a prepare or a commit, has not arrived; empty without a proposal. */
  readonly missing: readonly string[]
}

export type RoundWatch = {
  stepped(height: HeightState, nowMs: number): void
  newHead(): void
  /** The last round of the height that ended without a block, else the current one; undefined before the first. */
  progress(nowMs: number): RoundProgress | undefined
}

type Followed = { readonly marks: RoundMarks; readonly height: HeightState }

/** This validator's own commit is signed only when it completes a quorum: it is never missing. */
const missingVotes = ({ head, round }: HeightState, own: Address): readonly string[] => {
  if (round?.proposal === undefined) return []
  const { prepared, prepares, commits } = round
  return head.validators
    .filter(each =>
      prepared ? !commits.has(keyOf(each)) && !equalBytes(each, own) : !prepares.has(keyOf(each)),
    )
    .map(toHex)
}

const progressOf = ({ marks, height }: Followed, own: Address, endMs: number): RoundProgress => {
  const { round, startedMs, candidateMs, proposedMs, preparedMs, committedMs } = marks
  const sinceStart = (ms: number | undefined): number | undefined =>
    ms === undefined ? undefined : Math.max(0, ms - startedMs)
  const proposer = proposerOf(height.head.validators, height.head.coinbase, round)
  return {
    round,
    proposer: proposer === undefined ? undefined : toHex(proposer),
    lastedMs: Math.max(0, endMs - startedMs),
    proposalMs: sinceStart(candidateMs),
    verifiedMs: sinceStart(proposedMs),
    preparedMs: sinceStart(preparedMs),
    committedMs: sinceStart(committedMs),
    missing: missingVotes(height, own),
  }
}

/**
 * Follows how far the rounds of a height get, so that an operator learns in which step they end.
 * @param own the address of this validator
 */
export const createRoundWatch = (own: Address): RoundWatch => {
  let current: Followed | undefined
  let ended: RoundProgress | undefined
  return {
    stepped: (height, nowMs) => {
      if (height.round === undefined) return
      const marks = marksAfter(current?.marks, height, nowMs)
      if (marks === undefined) return
      if (current?.marks.sequence === marks.sequence && current.marks.round !== marks.round)
        ended = progressOf(current, own, nowMs)
      current = { marks, height }
    },
    newHead: () => {
      current = undefined
      ended = undefined
    },
    progress: nowMs => ended ?? (current === undefined ? undefined : progressOf(current, own, nowMs)),
  }
}
