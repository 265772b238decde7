import { type Address, equalBytes } from '../../bytes/bytes.ts'
import { toBareHex } from '../../bytes/hex.ts'
import { keccak256Steps } from '../../crypto/keccakSteps.ts'
import { includesAddress } from '../../validators/votes.ts'
import type { Steps } from '../../steps.ts'
import { decodeCommit } from '../codec/commit.ts'
import { MESSAGE_BYTES_MAX, type OpenedMessage, openMessage } from '../codec/message.ts'
import { decodePosition, POSITION_CODES } from '../codec/position.ts'
import { decodePrepare } from '../codec/prepare.ts'
import type { Effect } from '../effect.ts'
import { keepFuture, refusedFuture } from '../futureMessages.ts'
import { QBFT_CODES, type WireMessage } from '../message.ts'
import { NOBODY, type SeenMessages, wasSeen, withSeen } from '../seenMessages.ts'
import { withinShare } from '../shares.ts'
import { authorOfSteps } from '../signing.ts'
import type { HeightState, QbftState } from '../state.ts'
import { ask, drop, isSelf, keyOf, others, type Turn } from '../turn.ts'
import { decoded } from './decoded.ts'
import type { From } from './from.ts'
import { handleCommit } from './commit.ts'
import { handleOwnEcho } from './ownEcho.ts'
import { handlePrepare } from './prepare.ts'
import { handleProposal } from './proposal.ts'
import { answerPosition, handlePosition } from './recall.ts'
import { handleRoundChange } from './roundChange.ts'

const CODES: ReadonlySet<number> = new Set(Object.values(QBFT_CODES))

function* hashOf({ code, data }: WireMessage): Steps<string> {
  return `${code}${toBareHex(yield* keccak256Steps(data))}`
}

const open = (turn: Turn, { code, data }: WireMessage, peer: Address): OpenedMessage | undefined => {
  const origin = { peer, author: undefined }
  if (!CODES.has(code)) {
    drop(turn, 'unknown-code', origin, `code ${code}`)
    return undefined
  }
  if (data.length > MESSAGE_BYTES_MAX) {
    drop(turn, 'oversized', origin, `${data.length} bytes, at most ${MESSAGE_BYTES_MAX} are read`)
    return undefined
  }
  return decoded(turn, origin, () => openMessage(code, data))
}

/** Who signed it, one of the validators; undefined, and dropped, when nobody or somebody else did. */
function* validatorOf(
  turn: Turn,
  { head }: HeightState,
  message: OpenedMessage,
  peer: Address,
): Steps<Address | undefined> {
  const author = yield* authorOfSteps(QBFT_CODES[message.kind], message.signed)
  if (author !== undefined && includesAddress(head.validators, author)) return author
  drop(
    turn,
    author === undefined ? 'bad-signature' : 'not-a-validator',
    { peer, author },
    `${message.kind} of height ${message.signed.payload.sequence}`,
  )
  return undefined
}

function* dispatch(turn: Turn, height: HeightState, opened: OpenedMessage, from: From): Steps<HeightState> {
  if (isSelf(turn, from.author)) return yield* handleOwnEcho(turn, height, opened.kind, from)
  switch (opened.kind) {
    case 'proposal':
      return yield* handleProposal(turn, height, opened, from)
    case 'round-change':
      return yield* handleRoundChange(turn, height, opened, from)
    case 'prepare': {
      const vote = decoded(turn, from, () => decodePrepare(from.wire.data))
      return vote === undefined ? height : handlePrepare(turn, height, vote, from)
    }
    case 'commit': {
      const vote = decoded(turn, from, () => decodeCommit(from.wire.data))
      return vote === undefined ? height : handleCommit(turn, height, vote, from)
    }
  }
}

/** What a peer may have looked into in one round is bounded; see shares.ts. */
function* dispatchWithinShare(
  turn: Turn,
  height: HeightState,
  opened: OpenedMessage,
  from: From,
): Steps<HeightState> {
  const counted = withinShare(height, from)
  if (counted !== undefined) return yield* dispatch(turn, counted, opened, from)
  drop(turn, 'over-author-limit', from, `${opened.kind} of round ${opened.signed.payload.round}`)
  return height
}

/** Of a lower round: of no use here, but perhaps to a validator that is behind. */
const isWorthPassingOn = (effect: Effect): boolean =>
  effect.kind !== 'dropped' || effect.reason === 'past-round'

/**
 * A message of the current height by a validator: used, and passed on to those its author may not reach unless it was
 * dropped, so that nobody makes others multiply what is worth nothing.
 */
export function* useMessage(
  turn: Turn,
  height: HeightState,
  message: OpenedMessage,
  from: From,
): Steps<HeightState> {
  const before = turn.effects.length
  const next = yield* dispatchWithinShare(turn, height, message, from)
  const to = others(turn, height.head.validators).filter(
    validator => !equalBytes(validator, from.author) && !equalBytes(validator, from.peer),
  )
  const isWorth = turn.effects.slice(before).every(isWorthPassingOn)
  if (isWorth && to.length > 0 && !isSelf(turn, from.author))
    ask(turn, { kind: 'relay', message: from.wire, author: from.author, from: from.peer, to })
  return next
}

const keepForLater = (
  turn: Turn,
  state: QbftState,
  seen: SeenMessages,
  height: HeightState,
  from: From,
  sequence: bigint,
): QbftState => {
  const { author, peer, wire } = from
  if (sequence > height.sequence) ask(turn, { kind: 'peer-ahead', peer, number: sequence - 1n })
  const limits = {
    messagesMax: turn.environment.futureMessagesMax,
    distanceMax: turn.environment.futureDistanceMax,
  }
  const message = { sequence, author, peer, wire }
  const refused = refusedFuture(state.future, message, height.head.number, limits)
  if (refused !== undefined) {
    drop(turn, refused, { peer, author }, `message of height ${sequence}`)
    return state
  }
  return { ...state, seen, future: keepFuture(state.future, message, limits) }
}

/**
 * The gate every received message passes, in the order that costs least: code, height, repeats, author; only what a
 * validator signed is kept or used, and only then is a block in it read, which is what pauses.
 */
export function* handleMessage(
  turn: Turn,
  state: QbftState,
  wire: WireMessage,
  peer: Address,
): Steps<QbftState> {
  const { height } = state
  // Nothing can be said about it before the first head.
  if (height === undefined) return state
  if (wire.code === POSITION_CODES.request) return answerPosition(turn, state, peer)
  if (wire.code === POSITION_CODES.position) {
    const position = decoded(turn, { peer, author: undefined }, () => decodePosition(wire.data))
    return position === undefined ? state : yield* handlePosition(turn, state, peer, position)
  }
  const message = open(turn, wire, peer)
  if (message === undefined) return state
  const { sequence } = message.signed.payload
  if (sequence < height.sequence) {
    drop(turn, 'past-height', { peer, author: undefined }, `height ${sequence}`)
    return state
  }
  const hash = yield* hashOf(wire)
  // All of a message, which may be of megabytes, is hashed now, and what was signed of it again for its author.
  yield
  if (wasSeen(state.seen, hash)) {
    drop(turn, 'duplicate', { peer, author: undefined }, `code ${wire.code}`)
    return state
  }
  const isEarly = sequence > height.sequence || !height.head.active
  const author = yield* validatorOf(turn, height, message, peer)
  // What is refused for coming early is not remembered: it may be wanted when it comes again.
  if (author === undefined && isEarly) return state
  const by = author === undefined ? NOBODY : keyOf(author)
  const seen = withSeen(state.seen, by, hash, turn.environment.duplicateMessagesMax)
  if (author === undefined) return { ...state, seen }
  const from = { author, peer, wire }
  if (isEarly) return keepForLater(turn, state, seen, height, from, sequence)
  const next = height.active ? yield* useMessage(turn, height, message, from) : height
  return { ...state, seen, height: next }
}
