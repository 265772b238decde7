import type { Address } from '../../bytes/bytes.ts'
import type { Steps } from '../../steps.ts'
import { includesAddress } from '../../validators/votes.ts'
import { acceptProposal } from '../actions/accept.ts'
import { encodeMessage } from '../codec/message.ts'
import { encodePosition, type Position, POSITION_REQUEST } from '../codec/position.ts'
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
    reported: recall.reported.size,
    needed: positionsNeeded(recall, height),
  })

/** Requests the position of the validators that have not reported it, and starts the timer for the next request. */
export const requestPositions = (context: TransitionContext, state: QbftState): QbftState => {
  const { recall, height } = state
  if (recall === undefined || height?.active !== true) return state
  const to = others(context, height.head.validators).filter(
    validator => !recall.reported.has(keyOf(validator)),
  )
  if (to.length > 0) emit(context, { kind: 'inform', message: POSITION_REQUEST, to })
  if (!recall.isSettled) report(context, recall, height, undefined)
  emit(context, {
    kind: 'start-timer',
    timer: { kind: 'recall', sequence: height.sequence },
    atMs: context.nowMs + RECALL_INTERVAL_MS,
  })
  return { ...state, recall: { ...recall, progressAtMs: recall.progressAtMs ?? context.nowMs } }
}

/** Requests the position of a validator that connects. */
export const requestPosition = (
  context: TransitionContext,
  { recall, height }: QbftState,
  peer: Address,
): void => {
  if (recall === undefined || height?.active !== true || recall.reported.has(keyOf(peer))) return
  if (includesAddress(height.head.validators, peer))
    emit(context, { kind: 'inform', message: POSITION_REQUEST, to: [peer] })
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
  const lowest = lowestRoundBy(context, recall, height)
  const floor = lowest ?? 0
  const isSettled = recall.isSettled || floor !== NO_ROUND
  // Also in a later height: what others reported before it leaves open whether this validator had signed in its first round.
  if (height.floor === NO_ROUND && floor !== NO_ROUND) report(context, recall, height, floor)
  const next = floor === height.floor ? height : yield* withFloor(context, height, floor)
  return { ...state, recall: lowest === undefined ? undefined : { ...recall, isSettled }, height: next }
}

/** Handles a reported position; the round change of that validator may name a later round. */
export function* handlePosition(
  context: TransitionContext,
  state: QbftState,
  peer: Address,
  position: Position,
): Steps<QbftState> {
  const { recall, height } = state
  if (recall === undefined || height === undefined || !includesAddress(height.head.validators, peer))
    return state
  const key = keyOf(peer)
  const heard = height.roundChanges.get(key)?.signed.payload.round ?? -1
  const round = position.sequence === height.sequence ? Math.max(position.round, heard) : position.round
  const reported = new Map(recall.reported).set(key, { sequence: position.sequence, round })
  return yield* considerRecall(context, { ...state, recall: { ...recall, reported } })
}

/** Requests the missing positions again. */
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
    recall: { ...newRecall(recall?.recordSequence, true), wasOutdated: true },
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
  return Math.max(currentRound(height), recall !== undefined || hasForgotten || hasSigned ? 0 : -1)
}

/** Answers a position request. First sends back the requesting validator's own signed messages, which it may have lost. */
export const answerPosition = (context: TransitionContext, state: QbftState, peer: Address): QbftState => {
  const { height } = state
  const key = keyOf(peer)
  if (height === undefined || !includesAddress(height.head.validators, peer)) return state
  const isDue = context.nowMs - (state.shownAtMs.get(key) ?? -Infinity) >= SHOW_INTERVAL_MS
  const position = encodePosition({ sequence: height.sequence, round: reportedRound(state, height) })
  const shown = isDue ? signedBy(context, state, peer) : []
  for (const message of [...shown, position]) emit(context, { kind: 'inform', message, to: [peer] })
  // An answer without any does not hold up one to a restart that follows soon.
  return shown.length > 0 ? { ...state, shownAtMs: new Map(state.shownAtMs).set(key, context.nowMs) } : state
}
