import { equalBytes } from '../../bytes/bytes.ts'
import type { Steps } from '../../steps.ts'
import { quorumOf } from '../../validators/quorum.ts'
import { includesAddress } from '../../validators/votes.ts'
import { openMessage } from '../codec/message.ts'
import { type FutureMessages, takeFuture } from '../futureMessages.ts'
import type { HeadContext } from '../input.ts'
import { lowestRound, NO_ROUND, type Recall } from '../restart/recall.ts'
import type { RestartRecord } from '../restart/restartRecord.ts'
import { changeRoundAgain } from '../actions/roundChanges.ts'
import { enterRound } from '../actions/rounds.ts'
import type { HeightState, QbftState } from '../state.ts'
import { seenOf } from '../seenMessages.ts'
import { softTimeoutAt } from '../actions/timeouts.ts'
import { emit, drop, isSelf, keyOf, type TransitionContext } from '../transitionContext.ts'
import { processMessage } from './message.ts'
import { requestPositions, considerRecall } from './recall.ts'

const nothingSigned = (sequence: bigint): RestartRecord => ({
  sequence,
  round: 0,
  proposed: undefined,
  prepared: undefined,
  committed: undefined,
  certificate: undefined,
})

const newHeight = (
  context: TransitionContext,
  head: HeadContext,
  restart: RestartRecord | undefined,
  before: HeightState | undefined,
): HeightState => {
  const sequence = head.number + 1n
  const softTimeoutMs = softTimeoutAt(context.environment, before, sequence, head.validators.length)
  const isOwn = restart !== undefined && restart.sequence === sequence
  // A record of a later height means that this node lost blocks: it must not sign until it has them again.
  const isBehindRecord = restart !== undefined && restart.sequence > sequence
  return {
    head,
    sequence,
    quorum: quorumOf(head.validators.length),
    active: head.active && !isBehindRecord && includesAddress(head.validators, context.environment.address),
    round: undefined,
    futureVotes: new Map(),
    roundChanges: new Map(),
    peerBudgets: new Map(),
    actionedRound: 0,
    certificate: isOwn ? restart.certificate : undefined,
    failedRounds: 0,
    heldMs: 0,
    softTimeoutMs,
    verdicts: new Map(),
    signed: isOwn ? restart : nothingSigned(sequence),
    floor: 0,
    hasForgotten: before?.sequence === sequence && before.hasForgotten,
    pastSignatures: new Map(),
    ownMessages: [],
    ownRoundChange: undefined,
    importing: undefined,
  }
}

/** Starts the block timer, or continues in the round in which this validator last signed, because the others are there. */
function* begin(context: TransitionContext, height: HeightState): Steps<HeightState> {
  const { signed } = height
  if (signed.round > 0) {
    const lowest = lowestRound(height)
    const round = lowest === NO_ROUND ? signed.round : lowest
    return yield* changeRoundAgain(context, enterRound(context, height, round, 'restart'))
  }
  emit(context, {
    kind: 'start-timer',
    timer: { kind: 'block', sequence: height.sequence },
    atMs: height.head.readyAtMs,
  })
  return height
}

const isNewHead = ({ height }: QbftState, head: HeadContext): boolean => {
  if (height === undefined || head.number > height.head.number) return true
  return (
    head.number === height.head.number &&
    equalBytes(head.hash, height.head.hash) &&
    head.active !== height.head.active
  )
}

const startFloor = (recall: Recall | undefined): number => (recall === undefined ? 0 : NO_ROUND)

/** The signatures since the start, when the head has the height that this validator already was at. */
const recordAt = ({ height }: QbftState, sequence: bigint): RestartRecord | undefined =>
  height?.sequence === sequence ? { ...height.signed, certificate: height.certificate } : undefined

/** Processes messages that arrived before their height. */
function* replayFuture(
  context: TransitionContext,
  height: HeightState,
  taken: FutureMessages,
): Steps<HeightState> {
  let next = height
  for (const { author, peer, wire } of taken) {
    const message = openMessage(wire.code, wire.data)
    // The author was a validator when its message arrived; the set may have changed.
    if (includesAddress(height.head.validators, author))
      next = yield* processMessage(context, next, message, { author, peer, wire })
    else drop(context, 'not-a-validator', { peer, author }, `${message.kind} of height ${height.sequence}`)
  }
  return next
}

/** Handles a new head: consensus on the next height starts, with the messages already received for it. */
export function* handleHead(
  context: TransitionContext,
  before: QbftState,
  head: HeadContext,
): Steps<QbftState> {
  if (!isNewHead(before, head)) return before
  const state = { ...before, seen: seenOf(before.seen, new Set(head.validators.map(keyOf))) }
  for (const timer of ['block', 'round', 'resend'] as const) emit(context, { kind: 'cancel-timer', timer })
  const restart = state.restart ?? recordAt(state, head.number + 1n)
  const isOver = restart !== undefined && restart.sequence <= head.number
  const height = newHeight(context, head, restart, state.height)
  const kept = isOver || height.active ? undefined : restart
  const { recall } = state
  if (!head.active) return { ...state, height, restart: kept }
  const { taken, left } = takeFuture(state.future, height.sequence)
  if (!height.active) return { ...state, height, restart: kept, future: left }
  // This validator's own signatures, which others sent back, count from the beginning of the height.
  const own = taken.filter(({ author }) => isSelf(context, author))
  const bound = yield* replayFuture(context, { ...height, floor: startFloor(recall) }, own)
  const requested = requestPositions(context, yield* considerRecall(context, { ...state, height: bound }))
  const begun = yield* begin(context, requested.height ?? bound)
  const next = yield* replayFuture(
    context,
    begun,
    taken.filter(({ author }) => !isSelf(context, author)),
  )
  return { ...requested, height: next, restart: kept, future: left }
}
