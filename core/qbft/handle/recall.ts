import type { Address } from '../../bytes/bytes.ts'
import type { Steps } from '../../steps.ts'
import { includesAddress } from '../../validators/votes.ts'
import { acceptProposal } from '../accept.ts'
import { encodeMessage } from '../codec/message.ts'
import { encodePosition, type Position, POSITION_REQUEST } from '../codec/position.ts'
import type { WireMessage } from '../message.ts'
import { beginProposal } from '../propose.ts'
import {
  lowestRound,
  lowestRoundBy,
  neededToTell,
  NO_ROUND,
  RECALL_INTERVAL_MS,
  type Recall,
} from '../recall.ts'
import { changeRound, changeRoundAgain } from '../roundChanges.ts'
import { currentRound } from '../rounds.ts'
import type { HeightState, QbftState } from '../state.ts'
import { ask, keyOf, others, type Turn } from '../turn.ts'

/** What a validator signed may be of megabytes: it is shown to it no more often than this. */
const SHOW_INTERVAL_MS = RECALL_INTERVAL_MS / 2

const report = (turn: Turn, recall: Recall, height: HeightState, round: number | undefined): void =>
  ask(turn, {
    kind: 'recall',
    sequence: height.sequence,
    round,
    told: recall.told.size,
    needed: neededToTell(recall, height),
  })

/** Asks the validators that have not told where they are, again after a while. */
export const askPositions = (turn: Turn, state: QbftState): QbftState => {
  const { recall, height } = state
  if (recall === undefined || height?.active !== true) return state
  const to = others(turn, height.head.validators).filter(validator => !recall.told.has(keyOf(validator)))
  if (to.length > 0) ask(turn, { kind: 'tell', message: POSITION_REQUEST, to })
  if (!recall.isSettled) report(turn, recall, height, undefined)
  ask(turn, {
    kind: 'start-timer',
    timer: { kind: 'recall', sequence: height.sequence },
    atMs: turn.nowMs + RECALL_INTERVAL_MS,
  })
  return { ...state, recall: { ...recall, progressAtMs: recall.progressAtMs ?? turn.nowMs } }
}

/** Asks one validator that connects. */
export const askPosition = (turn: Turn, { recall, height }: QbftState, peer: Address): void => {
  if (recall === undefined || height?.active !== true || recall.told.has(keyOf(peer))) return
  if (includesAddress(height.head.validators, peer))
    ask(turn, { kind: 'tell', message: POSITION_REQUEST, to: [peer] })
}

/** Goes on with the current round as far as it could not without signing. */
function* proceed(turn: Turn, height: HeightState): Steps<HeightState> {
  const { round, actionedRound } = height
  if (round === undefined || height.importing !== undefined) return height
  if (round.proposal !== undefined)
    return round.prepares.has(keyOf(turn.environment.address))
      ? height
      : acceptProposal(turn, height, round.proposal)
  const isBegun = round.round === 0 || actionedRound === round.round
  return isBegun ? yield* beginProposal(turn, height) : height
}

/** A height with another floor: a validator that may sign again takes part from there on. */
function* withFloor(turn: Turn, before: HeightState, floor: number): Steps<HeightState> {
  const height = { ...before, floor }
  const lowest = lowestRound(height)
  const isLower = floor < before.floor
  const current = currentRound(height)
  // Before the first round the block timer leads into the lowest one.
  if (!isLower || lowest === NO_ROUND || current < 0 || height.importing !== undefined) return height
  if (current < lowest) return yield* changeRound(turn, height, lowest, 'restart')
  const hasAsked = current === 0 || height.ownRoundChange !== undefined
  return yield* proceed(turn, hasAsked ? height : yield* changeRoundAgain(turn, height))
}

/** What follows from all that the others have told so far. */
export function* considerRecall(turn: Turn, state: QbftState): Steps<QbftState> {
  const { recall, height } = state
  if (recall === undefined || height?.active !== true) return state
  const lowest = lowestRoundBy(turn, recall, height)
  const floor = lowest ?? 0
  const isSettled = recall.isSettled || floor !== NO_ROUND
  if (isSettled !== recall.isSettled) report(turn, recall, height, floor)
  const next = floor === height.floor ? height : yield* withFloor(turn, height, floor)
  return { ...state, recall: lowest === undefined ? undefined : { ...recall, isSettled }, height: next }
}

/** A validator told where it is; what it signed meanwhile may tell more. */
export function* handlePosition(
  turn: Turn,
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
  const told = new Map(recall.told).set(key, { sequence: position.sequence, round })
  return yield* considerRecall(turn, { ...state, recall: { ...recall, told } })
}

/** Time to ask again. */
export function* handleRecallTimer(turn: Turn, state: QbftState): Steps<QbftState> {
  return askPositions(turn, yield* considerRecall(turn, state))
}

/** What the validator signed for the height and later ones, as far as it came here. */
const signedBy = (turn: Turn, { height, future }: QbftState, author: Address): readonly WireMessage[] => {
  if (height === undefined) return []
  const key = keyOf(author)
  const { dialect } = turn.environment
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

/** Tells a validator that asks where this one is, after what the asker signed itself: it may have forgotten that. */
export const answerPosition = (turn: Turn, state: QbftState, peer: Address): QbftState => {
  const { height } = state
  const key = keyOf(peer)
  if (height === undefined || !includesAddress(height.head.validators, peer)) return state
  const isDue = turn.nowMs - (state.shownAtMs.get(key) ?? -Infinity) >= SHOW_INTERVAL_MS
  const position = encodePosition({ sequence: height.sequence, round: currentRound(height) })
  for (const message of [...(isDue ? signedBy(turn, state, peer) : []), position])
    ask(turn, { kind: 'tell', message, to: [peer] })
  return isDue ? { ...state, shownAtMs: new Map(state.shownAtMs).set(key, turn.nowMs) } : state
}
