import { faultsOf, quorumOf } from '../../validators/quorum.ts'
import { ROUND_MAX } from '../codec/field.ts'
import type { Position } from '../codec/position.ts'
import type { HeightState } from '../state.ts'
import { isSelf, keyOf, type TransitionContext } from '../transitionContext.ts'

/*
 * A validator that starts cannot know whether its restart record is the newest: its data folder may be an old copy, or
 * empty. It derives the rounds in which it may have signed from the positions (height and round) that other validators
 * report.
 *
 * Before it signed at a height, a quorum had committed the previous block. In any quorum of reporting validators without
 * itself, one honest validator is therefore at the height below, at that height, or above. Before it proposed, prepared or
 * committed in a round above 0, a quorum had requested that round, and one honest reporting validator is in it or in a
 * later one. So it has not signed
 * - above the height after the highest reported height,
 * - in that height above round 0,
 * - in the highest reported height above the highest reported round.
 * It must not sign within these bounds. Until it may sign, it counts as one of the F faulty validators.
 */

/** The positions that a restarted validator must collect before it may sign. */
export type Recall = {
  /** Height of the restart record; undefined without a record. */
  readonly recordSequence: bigint | undefined
  /** True when a later record may have been lost. */
  readonly isDamaged: boolean
  /** True when there was no record at the start, or the chain was ahead of it. */
  readonly wasOutdated: boolean
  /** The positions that other validators reported since this node started. */
  readonly reported: ReadonlyMap<string, Position>
  /** When the head last changed or the first request was sent, milliseconds since 1970; undefined before. */
  readonly progressAtMs: number | undefined
  /** True once it may sign. Restrictions on the rounds may remain. */
  readonly isSettled: boolean
}

/** Interval between requests to validators that have not answered. */
export const RECALL_INTERVAL_MS = 1_000

/** Time for which a new network waits for validators that do not answer. */
const NEW_NETWORK_WAIT_MS = 1_000

/**
 * An honest validator at a later height delivers blocks within this time (block download begins after three seconds).
 * Afterwards a claim of at most F validators is ignored, also the claim of a round that too few validators confirm.
 */
const CLAIM_WAIT_MS = 5_000

/** The lowest round of a validator that must not sign. */
export const NO_ROUND = Number.POSITIVE_INFINITY

export const newRecall = (recordSequence: bigint | undefined, isDamaged: boolean): Recall => ({
  recordSequence,
  isDamaged,
  wasOutdated: false,
  reported: new Map(),
  progressAtMs: undefined,
  isSettled: false,
})

export const recallAtStart = (recall: Recall, headNumber: bigint): Recall => ({
  ...recall,
  wasOutdated: recall.isDamaged || (recall.recordSequence ?? 0n) < headNumber,
})

/**
 * The recall at a new height, before the first signature. A validator with a current record keeps the reported positions,
 * so that it does not miss its own proposals. A validator without a current record requests them again, but keeps those of
 * the previous height, because blocks may arrive before answers.
 */
export const recallAtHeight = (recall: Recall, sequence: bigint, nowMs: number): Recall => {
  if (recall.isSettled) return recall
  const counts = (position: Position): boolean => !recall.wasOutdated || position.sequence >= sequence - 1n
  return {
    ...recall,
    reported: new Map([...recall.reported].filter(([, position]) => counts(position))),
    progressAtMs: nowMs,
  }
}

/** The reported positions of the other validators. */
const reportedPositions = (
  context: TransitionContext,
  { reported }: Recall,
  { head }: HeightState,
): readonly Position[] =>
  head.validators.flatMap(validator => {
    const position = isSelf(context, validator) ? undefined : reported.get(keyOf(validator))
    return position === undefined ? [] : [position]
  })

/** True without a record and a block: the validator has not signed, unless its data folder was emptied. */
const isNew = ({ recordSequence, isDamaged }: Recall, { head }: HeightState): boolean =>
  recordSequence === undefined && !isDamaged && head.number === 0n

/**
 * True when the record is of this height, or of the previous one without later signatures, unless the data folder is an old
 * copy.
 */
const isKept = ({ recordSequence, isDamaged }: Recall, { head, hasForgotten }: HeightState): boolean =>
  recordSequence !== undefined && !isDamaged && !hasForgotten && recordSequence >= head.number

/**
 * Number of other validators that must report: enough for a quorum with this one. Without a reliable record, enough to
 * intersect every quorum that this validator may have been part of.
 */
export const positionsNeeded = (recall: Recall, height: HeightState): number => {
  const validators = height.head.validators.length
  const quorum = quorumOf(validators)
  const hasMemory = isNew(recall, height) || isKept(recall, height)
  return hasMemory ? quorum - 1 : Math.max(quorum - 1, validators - quorum + 1)
}

/**
 * The highest reported round that more than `faults` validators confirm. A validator enters a round after a quorum has
 * requested it, so more than F others are at most one round behind it. Once all have reported, a validator far ahead of all
 * others is faulty.
 */
const highestRound = (rounds: readonly number[], faults: number, silent: number): number =>
  Math.max(0, ...rounds.filter(round => rounds.filter(other => other >= round - 1).length + silent > faults))

/**
 * The lowest round of the height in which this validator may sign: 0 without restriction, NO_ROUND when it must not sign,
 * undefined when the recall is complete.
 */
export const lowestRoundBy = (
  context: TransitionContext,
  recall: Recall,
  height: HeightState,
): number | undefined => {
  const { head, sequence } = height
  const others = head.validators.length - 1
  if (others === 0) return undefined
  const reported = reportedPositions(context, recall, height)
  const sinceMs = context.nowMs - (recall.progressAtMs ?? context.nowMs)
  if (reported.length < positionsNeeded(recall, height)) return NO_ROUND
  const ahead = reported.filter(position => position.sequence > sequence).length
  const faults = faultsOf(head.validators.length)
  if (ahead > faults || (ahead > 0 && sinceMs < CLAIM_WAIT_MS)) return NO_ROUND
  const reached = reported.filter(position => position.sequence <= sequence)
  const top = reached.reduce((max, position) => (position.sequence > max ? position.sequence : max), 0n)
  const haveAllReported = reported.length === others && ahead === 0
  if (top < sequence) {
    if (top + 1n < sequence) return undefined
    return isKept(recall, height) && haveAllReported ? 0 : 1
  }
  const rounds = reached.flatMap(position => (position.sequence === sequence ? [position.round] : []))
  const highest = highestRound(rounds, faults, 0)
  const isContested = highestRound(rounds, faults, others - reached.length) > highest
  // The validators that have not reported could confirm a higher round: a single claim does not decide it.
  if (isContested && sinceMs < CLAIM_WAIT_MS) return NO_ROUND
  const above = Math.min(highest + 1, ROUND_MAX)
  if (!isNew(recall, height)) return above
  if (!haveAllReported && sinceMs < NEW_NETWORK_WAIT_MS) return NO_ROUND
  return haveAllReported && highest === 0 && !height.hasForgotten ? 0 : above
}

/** The lowest round in which the validator may sign, by its own signatures and by the recall. */
export const lowestRound = ({ signed, floor }: HeightState): number => Math.max(signed.round, floor)
