import { faultsOf, quorumOf } from '../validators/quorum.ts'
import { ROUND_MAX } from './codec/field.ts'
import type { Position } from './codec/position.ts'
import type { HeightState } from './state.ts'
import { isSelf, keyOf, type Turn } from './turn.ts'

/*
 * A validator that starts cannot know whether its record is the newest: its data folder may be an old copy, or a new one.
 * What it may have signed in an earlier life, it finds out from where the others are.
 *
 * Whatever it signed in a height, a quorum had committed the block before: of any quorum, itself left out, that tells where it is,
 * one honest validator is at that height, one below it, or beyond. Whatever it proposed, prepared or committed in a round above 0, a
 * quorum had asked for the round, and one honest validator that tells is in it or beyond. So nothing was signed
 * - above the height after the highest one told,
 * - in that height above round 0,
 * - in the highest height told above the highest round told.
 * That is what it keeps away from. It counts as one of the F faulty validators meanwhile.
 */

/** What a validator that started finds out before it signs. */
export type Recall = {
  /** Height of the record that it started with, undefined without one. */
  readonly recordSequence: bigint | undefined
  /** A later record may have been lost. */
  readonly isDamaged: boolean
  /** When it started there was no record, or the chain was ahead of it. */
  readonly wasOutdated: boolean
  /** Where other validators are, by what they told since this node started. */
  readonly told: ReadonlyMap<string, Position>
  /** When the head changed last, or asking began; undefined before. Milliseconds since 1970. */
  readonly progressAtMs: number | undefined
  /** True once it may sign; the restrictions end later. */
  readonly isSettled: boolean
}

/** Validators that were not reached are asked again so often, as are those whose answer was lost. */
export const RECALL_INTERVAL_MS = 1_000

/** A network that begins is not held up longer by validators that are not there. */
const NEW_NETWORK_WAIT_MS = 1_000

/**
 * Who says that it has blocks gives them within this, catching up begins after three seconds; else a few that claim some are not
 * believed. Nor is a round that too few bear out.
 */
const CLAIM_WAIT_MS = 5_000

/** Signs nothing. */
export const NO_ROUND = Number.POSITIVE_INFINITY

export const newRecall = (recordSequence: bigint | undefined, isDamaged: boolean): Recall => ({
  recordSequence,
  isDamaged,
  wasOutdated: false,
  told: new Map(),
  progressAtMs: undefined,
  isSettled: false,
})

export const recallAtStart = (recall: Recall, headNumber: bigint): Recall => ({
  ...recall,
  wasOutdated: recall.isDamaged || (recall.recordSequence ?? 0n) < headNumber,
})

/**
 * At a new height, before the first signature. A validator that was away with its record has come level with the others by then, and
 * what they told when it came counts: a turn of its own is not lost. One without a record asks anew; of the height before it still
 * counts, for blocks may come faster than answers.
 */
export const recallAtHeight = (recall: Recall, sequence: bigint, nowMs: number): Recall => {
  if (recall.isSettled) return recall
  const counts = (position: Position): boolean => !recall.wasOutdated || position.sequence >= sequence - 1n
  return {
    ...recall,
    told: new Map([...recall.told].filter(([, position]) => counts(position))),
    progressAtMs: nowMs,
  }
}

/** The others among the validators that have told, with where they are. */
const toldIn = (turn: Turn, { told }: Recall, { head }: HeightState): readonly Position[] =>
  head.validators.flatMap(validator => {
    const position = isSelf(turn, validator) ? undefined : told.get(keyOf(validator))
    return position === undefined ? [] : [position]
  })

/** Neither a record nor a block: nothing was signed, unless the data folder was emptied. */
const isNew = ({ recordSequence, isDamaged }: Recall, { head }: HeightState): boolean =>
  recordSequence === undefined && !isDamaged && head.number === 0n

/** The record is of this height, or of the one before and nothing was signed since, unless the data folder is an old copy. */
const isKept = ({ recordSequence, isDamaged }: Recall, { head, hasForgotten }: HeightState): boolean =>
  recordSequence !== undefined && !isDamaged && !hasForgotten && recordSequence >= head.number

/**
 * How many others must have told: a quorum with this validator itself; without a memory so many that every quorum it may have
 * been part of has one of them.
 */
export const neededToTell = (recall: Recall, height: HeightState): number => {
  const validators = height.head.validators.length
  const quorum = quorumOf(validators)
  const hasMemory = isNew(recall, height) || isKept(recall, height)
  return hasMemory ? quorum - 1 : Math.max(quorum - 1, validators - quorum + 1)
}

/**
 * The highest round told that more than `faults` others bear out. Who is in a round heard a quorum in the one before, so that F others
 * are at most one round behind it: one that is alone far ahead of all others is a liar, once all have told.
 */
const highestRound = (rounds: readonly number[], faults: number, silent: number): number =>
  Math.max(0, ...rounds.filter(round => rounds.filter(other => other >= round - 1).length + silent > faults))

/**
 * The lowest round that this validator signs anything in at its height: 0 where nothing restricts it, NO_ROUND where it must
 * not sign; undefined once the restrictions are over.
 */
export const lowestRoundBy = (turn: Turn, recall: Recall, height: HeightState): number | undefined => {
  const { head, sequence } = height
  const others = head.validators.length - 1
  if (others === 0) return undefined
  const told = toldIn(turn, recall, height)
  const sinceMs = turn.nowMs - (recall.progressAtMs ?? turn.nowMs)
  if (told.length < neededToTell(recall, height)) return NO_ROUND
  const ahead = told.filter(position => position.sequence > sequence).length
  const faults = faultsOf(head.validators.length)
  if (ahead > faults || (ahead > 0 && sinceMs < CLAIM_WAIT_MS)) return NO_ROUND
  const reached = told.filter(position => position.sequence <= sequence)
  const top = reached.reduce((max, position) => (position.sequence > max ? position.sequence : max), 0n)
  const haveAllTold = told.length === others && ahead === 0
  if (top < sequence) {
    if (top + 1n < sequence) return undefined
    return isKept(recall, height) && haveAllTold ? 0 : 1
  }
  const rounds = reached.flatMap(position => (position.sequence === sequence ? [position.round] : []))
  const highest = highestRound(rounds, faults, 0)
  const isContested = highestRound(rounds, faults, others - reached.length) > highest
  // Those that are silent would bear out a higher one, or not: nobody is led there by a single claim.
  if (isContested && sinceMs < CLAIM_WAIT_MS) return NO_ROUND
  const above = Math.min(highest + 1, ROUND_MAX)
  if (!isNew(recall, height)) return above
  if (!haveAllTold && sinceMs < NEW_NETWORK_WAIT_MS) return NO_ROUND
  return haveAllTold && highest === 0 && !height.hasForgotten ? 0 : above
}

/** The lowest round in which the validator signs anything: those below lie behind what it signed, or may have signed. */
export const lowestRound = ({ signed, floor }: HeightState): number => Math.max(signed.round, floor)
