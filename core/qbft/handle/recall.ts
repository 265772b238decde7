import type { Address } from '../../bytes/bytes.ts'
import type { Steps } from '../../steps.ts'
import { includesAddress } from '../../validators/votes.ts'
import { acceptProposal } from '../actions/accept.ts'
import { encodeMessage } from '../codec/message.ts'
import { encodePosition, type Position, POSITION_ONLY_REQUEST, POSITION_REQUEST } from '../codec/position.ts'
import type { WireMessage } from '../message.ts'
import { beginProposal } from '../actions/propose.ts'
import {
  lowestRound,
  lowestRoundBy,
  newRecall,
  positionsNeeded,
  NO_ROUND,
  RECALL_INTERVAL_MS,
  type Recall,
  withReport,
} from '../restart/recall.ts'
import { changeRound, changeRoundAgain } from '../actions/roundChanges.ts'
import { currentRound } from '../actions/rounds.ts'
import type { HeightState, QbftState } from '../state.ts'
import { emit, keyOf, others, type TransitionContext } from '../transitionContext.ts'

/** Minimum interval between two answers with a validator's own signatures, which may be megabytes. */
const SHOW_INTERVAL_MS = RECALL_INTERVAL_MS / 2

const report = (
  context: TransitionContext,
  recall: Recall,
  height: HeightState,
  round: number | undefined,
): void =>
  emit(context, {
    kind: 'recall',
    sequence: height.sequence,
    round,
    reported: recall.reports.size,
    needed: positionsNeeded(recall, height),
  })

const ask = (context: TransitionContext, message: WireMessage, to: readonly Address[]): void => {
  if (to.length > 0) emit(context, { kind: 'inform', message, to })
}

/**
 * Requests the positions of the validators that have not reported them, and starts the timer for the next request. While it
 * must not sign, it asks the others again, too: a claim may have been wrong, and they have moved on.
 */
export const requestPositions = (context: TransitionContext, state: QbftState): QbftState => {
  const { recall, height } = state
  if (recall === undefined || height?.active !== true) return state
  const all = others(context, height.head.validators)
  const hasReported = (validator: Address): boolean => recall.reports.has(keyOf(validator))
  ask(
    context,
    POSITION_REQUEST,
    all.filter(validator => !hasReported(validator)),
  )
  if (height.floor === NO_ROUND) ask(context, POSITION_ONLY_REQUEST, all.filter(hasReported))
  if (!recall.isSettled) report(context, recall, height, undefined)
  emit(context, {
    kind: 'start-timer',
    timer: { kind: 'recall', sequence: height.sequence },
    atMs: context.nowMs + RECALL_INTERVAL_MS,
  })
  const asked = new Set([...recall.asked, ...all.map(keyOf)])
  const { sequence } = height
  const before = recall.requests.sequence === sequence ? recall.requests.count : 0
  return { ...state, recall: { ...recall, asked, requests: { sequence, count: before + 1 } } }
}

/** Requests the position of a validator that connects. */
export const requestPosition = (context: TransitionContext, state: QbftState, peer: Address): QbftState => {
  const { recall, height } = state
  const key = keyOf(peer)
  if (recall === undefined || height?.active !== true || recall.reports.has(key)) return state
  if (!includesAddress(height.head.validators, peer)) return state
  ask(context, POSITION_REQUEST, [peer])
  return { ...state, recall: { ...recall, asked: new Set([...recall.asked, key]) } }
}

/** Continues the current round at the step where this validator had to stop, because it must not sign. */
function* proceed(context: TransitionContext, height: HeightState): Steps<HeightState> {
  const { round, actionedRound } = height
  if (round === undefined || height.importing !== undefined) return height
  if (round.proposal !== undefined)
    return round.prepares.has(keyOf(context.environment.address))
      ? height
      : yield* acceptProposal(context, height, round.proposal)
  const isBegun = round.round === 0 || actionedRound === round.round
  return isBegun ? yield* beginProposal(context, height) : height
}

/** Applies a new lowest round; a validator that may sign again takes part from that round on. */
function* withFloor(context: TransitionContext, before: HeightState, floor: number): Steps<HeightState> {
  const height = { ...before, floor }
  const lowest = lowestRound(height)
  const isLower = floor < before.floor
  const current = currentRound(height)
  // Before the first round, the block timer starts the lowest round.
  if (!isLower || lowest === NO_ROUND || current < 0 || height.importing !== undefined) return height
  if (current < lowest) return yield* changeRound(context, height, lowest, 'restart')
  const hasAsked = current === 0 || height.ownRoundChange !== undefined
  return yield* proceed(context, hasAsked ? height : yield* changeRoundAgain(context, height))
}

/** Applies all positions reported so far. */
export function* considerRecall(context: TransitionContext, state: QbftState): Steps<QbftState> {
  const { recall, height } = state
  if (recall === undefined || height?.active !== true) return state
  const { recall: considered, floor } = lowestRoundBy(context, recall, height)
  const isSettled = recall.isSettled || floor !== NO_ROUND
  // Also in a later height: what others reported before it leaves open whether this validator had signed in its first round.
  if (height.floor === NO_ROUND && floor !== NO_ROUND) report(context, recall, height, floor)
  const next = floor === height.floor ? height : yield* withFloor(context, height, floor)
  return { ...state, recall: considered && { ...considered, isSettled }, height: next }
}

/** Handles a reported position, or the height alone of a validator that does not report its round. */
export function* handlePosition(
  context: TransitionContext,
  state: QbftState,
  peer: Address,
  position: Position | { readonly sequence: bigint },
): Steps<QbftState> {
  const { recall, height } = state
  if (recall === undefined || height === undefined || !includesAddress(height.head.validators, peer))
    return state
  const hasRound = 'round' in position
  const reported = { sequence: position.sequence, round: hasRound ? position.round : 0 }
  return yield* considerRecall(context, {
    ...state,
    recall: withReport(recall, keyOf(peer), reported, hasRound),
  })
}

/** Requests positions again. */
export function* handleRecallTimer(context: TransitionContext, state: QbftState): Steps<QbftState> {
  return requestPositions(context, yield* considerRecall(context, state))
}

/**
 * Stops signing, because the restart record may miss signatures of another node with the same key. The recall begins at the
 * next head that is active.
 */
export const recallAnew = (state: QbftState): QbftState => {
  const { recall, height } = state
  return {
    ...state,
    recall: newRecall(recall?.recordSequence, true),
    height: height === undefined ? undefined : { ...height, floor: NO_ROUND },
  }
}

/** The received messages that the validator signed for this height and later ones. */
const signedBy = (
  context: TransitionContext,
  { height, future }: QbftState,
  author: Address,
): readonly WireMessage[] => {
  if (height === undefined) return []
  const key = keyOf(author)
  const { dialect } = context.environment
  const firsts = [
    ...height.pastSignatures.values(),
    ...(height.round === undefined ? [] : [height.round.first]),
  ]
  const noted = firsts.flatMap(first =>
    [...first].flatMap(([of, { wire }]) => (of.endsWith(` ${key}`) && wire.data.length > 0 ? [wire] : [])),
  )
  const votes = [...height.futureVotes.values()].flatMap(({ prepares, commits }) =>
    [prepares.get(key), commits.get(key)].filter(vote => vote !== undefined),
  )
  const roundChange = height.roundChanges.get(key)
  const kept = [...votes, ...(roundChange === undefined ? [] : [roundChange])]
  const later = future.filter(message => keyOf(message.author) === key).map(({ wire }) => wire)
  return [...noted, ...kept.map(message => encodeMessage(message, dialect)), ...later]
}

/** The round to report: -1 only from a validator that has signed nothing at the height, before its start neither. */
const reportedRound = ({ recall }: QbftState, height: HeightState): number => {
  const { signed, hasForgotten } = height
  const { round, proposed, prepared, committed } = signed
  const hasSigned = round > 0 || [proposed, prepared, committed].some(digest => digest !== undefined)
  const isKnown = recall === undefined && !hasForgotten && !hasSigned
  return Math.max(currentRound(height), isKnown ? -1 : round)
}

/** The position to report: that of its record, where this validator lost blocks and is not there again. */
const reportedPosition = (state: QbftState, height: HeightState): Position => {
  const { restart } = state
  return restart !== undefined && restart.sequence > height.sequence
    ? { sequence: restart.sequence, round: restart.round }
    : { sequence: height.sequence, round: reportedRound(state, height) }
}

/** Answers a position request. First sends back the requesting validator's own signed messages, which it may have lost. */
export const answerPosition = (
  context: TransitionContext,
  state: QbftState,
  peer: Address,
  wantsSignatures: boolean,
): QbftState => {
  const { height } = state
  const key = keyOf(peer)
  if (height === undefined || !includesAddress(height.head.validators, peer)) return state
  const isDue = context.nowMs - (state.shownAtMs.get(key) ?? -Infinity) >= SHOW_INTERVAL_MS
  const shown = isDue && wantsSignatures ? signedBy(context, state, peer) : []
  const position = encodePosition(reportedPosition(state, height))
  for (const message of [...shown, position]) emit(context, { kind: 'inform', message, to: [peer] })
  // An answer without any does not hold up one to a restart that follows soon.
  return shown.length > 0 ? { ...state, shownAtMs: new Map(state.shownAtMs).set(key, context.nowMs) } : state
}
