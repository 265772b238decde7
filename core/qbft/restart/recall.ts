import { faultsOf, quorumOf } from '../../validators/quorum.ts'
import { ROUND_MAX } from '../codec/field.ts'
import type { Position } from '../codec/position.ts'
import type { AddressKey, HeightState } from '../state.ts'
import { isSelf, keyOf, type TransitionContext } from '../transitionContext.ts'

/*
 * A validator that starts cannot know whether its restart record is the newest: its data folder may be an old copy, or
 * empty. It derives the rounds in which it may have signed from the positions (height and round) that the others report
 * after its start. N validators, at most F of them faulty, Q a quorum.
 *
 * Where it may have signed. An honest validator proposes, prepares and commits in a round above 0 only after Q validators
 * have requested the round: Q - 1 others were there, or beyond, before this start. It signs in round 0 of a height only
 * after Q validators have committed the block before: Q - 1 others were at that block's height, in some round, or beyond.
 * What an honest validator reports is never below where it was before this start.
 *
 * Bound. Sort the lowest report of each other validator; the bound is the one at place K = max(Q - 1, N - Q + 1). K others
 * are at the bound or below, so at most N - 1 - K others that report the truth were above it. With f of the others faulty,
 * Q - 1 were above only if Q - 1 <= N - 1 - K + f, which is false for f < K + Q - N. That is at least F (N = 3F + 1: F), so
 * with at most F - 1 other faulty validators this one has signed nothing above the bound, and nothing at all two heights
 * above it. Whoever lost its signatures is one of the F. No rule does better where N = 3F + 1: with F liars among the others,
 * the K reports that it can wait for may be theirs and those of F validators that were left behind, just as if it had never
 * signed. Reports of round -1 count as round 0, because earlier releases report it after they have signed.
 *
 * Why F liars do not hold it back. K <= N - 1 - F: all others but F report, and the bound is then at most the highest
 * position of an honest one, which the blocks of honest validators lead to. Until they have reported, a liar's claim may be
 * the bound; each further report only lowers it, and all are asked again. No time is part of the decision, except among
 * validators that do not report their round (`completed`).
 *
 * Why it follows into no claimed round. Above the bound it starts by requesting a round, and cannot go back. So the bound's
 * round must be confirmed: by its own signatures, which it or others kept, or by more than F others that are now at most one
 * round below. The first honest validator in a round above 1 entered it after a quorum was heard in the round before, or
 * prepared there. This validator was one of that quorum and remembers it, or F honest others were, and with the first one
 * they are more than F.
 *
 * Until it may sign, it counts as one of the F faulty validators.
 */

/** What a validator reported since this start. */
export type Report = {
  /** It was not beyond this when this node started. A later, higher report says less. */
  readonly lowest: Position
  /** The last report. */
  readonly latest: Position
  /** False for a validator whose node does not report its round: it may be in any. */
  readonly hasRound: boolean
}

/** The positions that a restarted validator must collect before it may sign. */
export type Recall = {
  /** Height of the restart record; undefined without a record. */
  readonly recordSequence: bigint | undefined
  /** True when a later record may have been lost. */
  readonly isDamaged: boolean
  /** The validators that were asked. Only answers count: what was sent before says nothing about the time of the start. */
  readonly asked: ReadonlySet<AddressKey>
  readonly reports: ReadonlyMap<AddressKey, Report>
  /** Number of requests to all at a height. */
  readonly requests: { readonly sequence: bigint; readonly count: number }
  /** The first height that the bound was below: this validator has signed in no later one. */
  readonly clearedAt: bigint | undefined
  /** True once it may sign. Restrictions on the rounds may remain. */
  readonly isSettled: boolean
}

/** Interval between requests for positions. */
export const RECALL_INTERVAL_MS = 1_000

/** A new network waits until this many requests for validators that start a moment later. Nothing else depends on it. */
const NEW_NETWORK_REQUESTS = 2

/**
 * Requests at one height after which a validator without its record no longer waits for the round changes of validators that
 * do not report their round: two minutes. Besu and GoQuorum repeat no round change, but send one at each timeout, which is below
 * that for the first five rounds with their defaults. All that lost their records at once would otherwise wait for ever.
 */
export const SILENT_REQUESTS_MAX = 120

/** The lowest round of a validator that must not sign. */
export const NO_ROUND = Number.POSITIVE_INFINITY

export const newRecall = (recordSequence: bigint | undefined, isDamaged: boolean): Recall => ({
  recordSequence,
  isDamaged,
  asked: new Set(),
  reports: new Map(),
  requests: { sequence: 0n, count: 0 },
  clearedAt: undefined,
  isSettled: false,
})

const compare = (one: Position, other: Position): number =>
  one.sequence === other.sequence ? one.round - other.round : one.sequence < other.sequence ? -1 : 1

/** Adds a report of a validator that was asked. */
export const withReport = (
  recall: Recall,
  key: AddressKey,
  { sequence, round }: Position,
  hasRound: boolean,
): Recall => {
  if (!recall.asked.has(key)) return recall
  const latest = { sequence, round: hasRound ? Math.max(round, 0) : ROUND_MAX }
  const before = recall.reports.get(key)
  const lowest = before !== undefined && compare(before.lowest, latest) < 0 ? before.lowest : latest
  return { ...recall, reports: new Map(recall.reports).set(key, { lowest, latest, hasRound }) }
}

/**
 * True when the record is of this height, or of the previous one without later signatures, unless the data folder is an old
 * copy.
 */
const isKept = ({ recordSequence, isDamaged }: Recall, { head, hasForgotten }: HeightState): boolean =>
  recordSequence !== undefined && !isDamaged && !hasForgotten && recordSequence >= head.number

/** The requests to all at the height. */
const requestsAt = ({ requests }: Recall, { sequence }: HeightState): number =>
  requests.sequence === sequence ? requests.count : 0

const hasSignedIn = ({ proposed, prepared, committed }: HeightState['signed']): boolean =>
  proposed !== undefined || prepared !== undefined || committed !== undefined

/** The round of a validator that does not report it, before its round change is heard; undefined while it may be in any. */
const assumedRound = (recall: Recall, height: HeightState): number | undefined => {
  const { signed, head, floor } = height
  const isNew = recall.recordSequence === undefined && !recall.isDamaged && head.number === 0n
  // What it signs from its lowest round on must not raise that round again.
  if (floor !== NO_ROUND) return floor - 1
  if (isKept(recall, height)) return hasSignedIn(signed) ? signed.round : signed.round - 1
  return isNew || requestsAt(recall, height) >= SILENT_REQUESTS_MAX ? Math.max(signed.round, 0) : undefined
}

/**
 * A report with the round that is known of a validator that does not report it: that of its round change. Before one is heard,
 * a validator that seems to have its newest record, or none in a new network, goes on after its own round, and one without its
 * record waits. Otherwise all who restart together over devp2p, where no round is reported, would wait for each other's round
 * changes for ever. Among such validators an old copy of a data folder is not noticed, and the wait ends by time.
 */
const completed = (recall: Recall, height: HeightState, key: AddressKey, report: Report): Report => {
  const heard = height.roundChanges.get(key)?.signed.payload.round
  const round = heard ?? assumedRound(recall, height)
  if (report.hasRound || round === undefined) return report
  const at = (position: Position): Position =>
    position.sequence === height.sequence ? { ...position, round } : position
  return { ...report, lowest: at(report.lowest), latest: at(report.latest) }
}

/** The reports of the other validators of the height. */
const reportsAt = (context: TransitionContext, recall: Recall, height: HeightState): readonly Report[] =>
  height.head.validators.flatMap(validator => {
    const key = keyOf(validator)
    const report = isSelf(context, validator) ? undefined : recall.reports.get(key)
    return report === undefined ? [] : [completed(recall, height, key, report)]
  })

/**
 * Number of other validators that must report, K above. With a record that seems to be the newest, Q - 1 are enough: of three
 * validators, none of which may be faulty, two go on where the third is down.
 */
export const positionsNeeded = (recall: Recall, height: HeightState): number => {
  const validators = height.head.validators.length
  const quorum = quorumOf(validators)
  return isKept(recall, height) ? quorum - 1 : Math.max(quorum - 1, validators - quorum + 1)
}

/** True in a new network in which not all have reported, at the first request. */
const isEarly = (recall: Recall, height: HeightState, reports: readonly Report[]): boolean =>
  recall.recordSequence === undefined &&
  height.head.number === 0n &&
  reports.length < height.head.validators.length - 1 &&
  requestsAt(recall, height) < NEW_NETWORK_REQUESTS

/** The position that this validator has signed nothing above; undefined while too few have reported. */
const boundBy = (recall: Recall, height: HeightState, reports: readonly Report[]): Position | undefined =>
  reports.map(({ lowest }) => lowest).sort(compare)[positionsNeeded(recall, height) - 1]

/** True if this validator remembers the round before `round`, or more than F others are there or beyond. */
const isConfirmed = (height: HeightState, reports: readonly Report[], round: number): boolean => {
  const { signed, head, sequence } = height
  if (round <= signed.round + 1) return true
  const near = reports.filter(({ latest }) => compare(latest, { sequence, round: round - 1 }) >= 0)
  return near.length > faultsOf(head.validators.length)
}

/**
 * The recall with the reports considered at the height, and the lowest round in which this validator may sign there: 0
 * without restriction, NO_ROUND when it must not sign. The recall is undefined when it is complete.
 */
export const lowestRoundBy = (
  context: TransitionContext,
  recall: Recall,
  height: HeightState,
): { readonly recall: Recall | undefined; readonly floor: number } => {
  const { head, sequence } = height
  if (head.validators.length === 1) return { recall: undefined, floor: 0 }
  const { clearedAt } = recall
  if (clearedAt !== undefined && clearedAt < sequence) return { recall: undefined, floor: 0 }
  const reports = reportsAt(context, recall, height)
  const bound = boundBy(recall, height, reports)
  if (bound === undefined || bound.sequence > sequence || isEarly(recall, height, reports))
    return { recall, floor: NO_ROUND }
  if (bound.sequence < sequence) return { recall: { ...recall, clearedAt: sequence }, floor: 1 }
  const isUsable = bound.round < ROUND_MAX && isConfirmed(height, reports, bound.round)
  return { recall, floor: isUsable ? bound.round + 1 : NO_ROUND }
}

/** The lowest round in which the validator may sign, by its own signatures and by the recall. */
export const lowestRound = ({ signed, floor }: HeightState): number => Math.max(signed.round, floor)
