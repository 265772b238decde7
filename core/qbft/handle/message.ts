import { type Address, equalBytes } from '../../bytes/bytes.ts'
import { toBareHex } from '../../bytes/hex.ts'
import { keccak256Steps } from '../../crypto/keccakSteps.ts'
import { includesAddress } from '../../validators/votes.ts'
import type { Steps } from '../../steps.ts'
import { decodeCommit } from '../codec/commit.ts'
import { QBFT_MESSAGE_BYTES_MAX, type OpenedMessage, openMessage } from '../codec/message.ts'
import { decodePositionRequest, decodePosition, POSITION_CODES } from '../codec/position.ts'
import { decodePrepare } from '../codec/prepare.ts'
import type { Effect } from '../effect.ts'
import { keepFuture, refusedFuture } from '../futureMessages.ts'
import { QBFT_CODES, type WireMessage, isQbftCode } from '../message.ts'
import { UNKNOWN_AUTHOR, type SeenMessages, wasSeen, withSeen } from '../seenMessages.ts'
import { chargePeerBudget } from '../peerBudgets.ts'
import { authorOfSteps } from '../signatures.ts'
import type { HeightState, QbftState } from '../state.ts'
import { emit, drop, isSelf, keyOf, others, type TransitionContext } from '../transitionContext.ts'
import { decoded } from './decoded.ts'
import type { From } from './from.ts'
import { handleCommit } from './commit.ts'
import { handleOwnMessage } from './ownMessage.ts'
import { handlePrepare } from './prepare.ts'
import { handleProposal } from './proposal.ts'
import { answerPosition, handlePosition } from './recall.ts'
import { handleRoundChange } from './roundChange.ts'

function* hashOf({ code, data }: WireMessage): Steps<string> {
  return `${code}${toBareHex(yield* keccak256Steps(data))}`
}

const open = (
  context: TransitionContext,
  { code, data }: WireMessage,
  peer: Address,
): OpenedMessage | undefined => {
  const origin = { peer, author: undefined }
  if (!isQbftCode(code)) {
    drop(context, 'unknown-code', origin, `code ${code}`)
    return undefined
  }
  if (data.length > QBFT_MESSAGE_BYTES_MAX) {
    drop(context, 'oversized', origin, `${data.length} bytes, at most ${QBFT_MESSAGE_BYTES_MAX} are read`)
    return undefined
  }
  return decoded(context, origin, () => openMessage(code, data))
}

/** Returns the author if it is a validator; otherwise drops the message and returns undefined. */
function* validatorOf(
  context: TransitionContext,
  { head }: HeightState,
  message: OpenedMessage,
  peer: Address,
): Steps<Address | undefined> {
  const author = yield* authorOfSteps(QBFT_CODES[message.kind], message.signed)
  if (author !== undefined && includesAddress(head.validators, author)) return author
  drop(
    context,
    author === undefined ? 'bad-signature' : 'not-a-validator',
    { peer, author },
    `${message.kind} of height ${message.signed.payload.sequence}`,
  )
  return undefined
}

function* dispatch(
  context: TransitionContext,
  height: HeightState,
  opened: OpenedMessage,
  from: From,
): Steps<HeightState> {
  if (isSelf(context, from.author)) return yield* handleOwnMessage(context, height, opened.kind, from)
  switch (opened.kind) {
    case 'proposal':
      return yield* handleProposal(context, height, opened, from)
    case 'round-change':
      return yield* handleRoundChange(context, height, opened, from)
    case 'prepare': {
      const vote = decoded(context, from, () => decodePrepare(from.wire.data))
      return vote === undefined ? height : yield* handlePrepare(context, height, vote, from)
    }
    case 'commit': {
      const vote = decoded(context, from, () => decodeCommit(from.wire.data))
      return vote === undefined ? height : yield* handleCommit(context, height, vote, from)
    }
  }
}

const dropOverBudget = (context: TransitionContext, { kind, signed }: OpenedMessage, from: From): void =>
  drop(context, 'over-author-limit', from, `${kind} of round ${signed.payload.round}`)

/** Processes a message within its peer's budget of the round; see peerBudgets.ts. */
function* dispatchWithinBudget(
  context: TransitionContext,
  height: HeightState,
  opened: OpenedMessage,
  from: From,
): Steps<HeightState> {
  const counted = chargePeerBudget(height, from)
  if (counted !== undefined) return yield* dispatch(context, counted, opened, from)
  dropOverBudget(context, opened, from)
  return height
}

/** A message of a past round is still useful to a validator that is behind. */
const isRelayable = (effect: Effect): boolean => effect.kind !== 'dropped' || effect.reason === 'past-round'

/**
 * Processes a message of a validator for the current height, and forwards it to validators that its author may not reach. A
 * dropped message is not forwarded, so that invalid messages do not multiply.
 */
export function* processMessage(
  context: TransitionContext,
  height: HeightState,
  message: OpenedMessage,
  from: From,
): Steps<HeightState> {
  const before = context.effects.length
  const next = yield* dispatchWithinBudget(context, height, message, from)
  const to = others(context, height.head.validators).filter(
    validator => !equalBytes(validator, from.author) && !equalBytes(validator, from.peer),
  )
  const shouldRelay = context.effects.slice(before).every(isRelayable)
  if (shouldRelay && to.length > 0 && !isSelf(context, from.author))
    emit(context, { kind: 'relay', message: from.wire, author: from.author, from: from.peer, to })
  return next
}

const keepForLater = (
  context: TransitionContext,
  state: QbftState,
  seen: SeenMessages,
  height: HeightState,
  from: From,
  sequence: bigint,
): QbftState => {
  const { author, peer, wire } = from
  if (sequence > height.sequence) emit(context, { kind: 'peer-ahead', peer, number: sequence - 1n })
  const limits = {
    messagesMax: context.environment.futureMessagesMax,
    distanceMax: context.environment.futureDistanceMax,
  }
  const message = { sequence, author, peer, wire }
  const refused = refusedFuture(state.future, message, height.head.number, limits)
  if (refused !== undefined) {
    drop(context, refused, { peer, author }, `message of height ${sequence}`)
    return state
  }
  return { ...state, seen, future: keepFuture(state.future, message, limits) }
}

/**
 * Handles a received message. Checks come in order of cost: code, height, duplicate, author. Only messages signed by a
 * validator are kept or used, and only then is a block in them decoded, which yields.
 */
export function* handleMessage(
  context: TransitionContext,
  state: QbftState,
  wire: WireMessage,
  peer: Address,
): Steps<QbftState> {
  const { height } = state
  // Messages before the first head cannot be checked.
  if (height === undefined) return state
  if (wire.code === POSITION_CODES.request) {
    const wantsSignatures = decoded(context, { peer, author: undefined }, () =>
      decodePositionRequest(wire.data),
    )
    return wantsSignatures === undefined ? state : answerPosition(context, state, peer, wantsSignatures)
  }
  if (wire.code === POSITION_CODES.position) {
    const position = decoded(context, { peer, author: undefined }, () => decodePosition(wire.data))
    return position === undefined ? state : yield* handlePosition(context, state, peer, position)
  }
  const message = open(context, wire, peer)
  if (message === undefined) return state
  const { sequence } = message.signed.payload
  if (sequence < height.sequence) {
    drop(context, 'past-height', { peer, author: undefined }, `height ${sequence}`)
    return state
  }
  const hash = yield* hashOf(wire)
  // Hashing a large message takes time, and the recovery of its author hashes it again.
  yield
  if (wasSeen(state.seen, hash)) {
    drop(context, 'duplicate', { peer, author: undefined }, `code ${wire.code}`)
    return state
  }
  const isEarly = sequence > height.sequence || !height.head.active
  const author = yield* validatorOf(context, height, message, peer)
  // The hash of a refused early message is not stored: the message may be needed when it is sent again.
  if (author === undefined && isEarly) return state
  const signer = author === undefined ? UNKNOWN_AUTHOR : keyOf(author)
  const seen = withSeen(state.seen, signer, hash, context.environment.duplicateMessagesMax)
  if (author === undefined) return { ...state, seen }
  const from = { author, peer, wire }
  if (isEarly) return keepForLater(context, state, seen, height, from, sequence)
  // Nor is that of a message beyond its peer's budget: its author, or another peer, may send it.
  if (height.active && chargePeerBudget(height, from) === undefined) {
    dropOverBudget(context, message, from)
    return state
  }
  const next = height.active ? yield* processMessage(context, height, message, from) : height
  return { ...state, seen, height: next }
}
