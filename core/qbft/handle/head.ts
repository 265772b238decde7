import { equalBytes } from '../../bytes/bytes.ts'
import type { Steps } from '../../steps.ts'
import { quorumOf } from '../../validators/quorum.ts'
import { includesAddress } from '../../validators/votes.ts'
import { openMessage } from '../codec/message.ts'
import { type FutureMessages, takeFuture } from '../futureMessages.ts'
import type { HeadContext } from '../input.ts'
import { lowestRound, NO_ROUND, type Recall, recallAtHeight, recallAtStart } from '../recall.ts'
import type { RestartRecord } from '../restartRecord.ts'
import { changeRoundAgain } from '../roundChanges.ts'
import { enterRound } from '../rounds.ts'
import type { HeightState, QbftState } from '../state.ts'
import { seenOf } from '../seenMessages.ts'
import { readyTimeoutAt } from '../timeouts.ts'
import { ask, drop, isSelf, keyOf, type Turn } from '../turn.ts'
import { useMessage } from './message.ts'
import { askPositions, considerRecall } from './recall.ts'

const nothingSigned = (sequence: bigint): RestartRecord => ({
  sequence,
  round: 0,
  proposed: undefined,
  prepared: undefined,
  committed: undefined,
  certificate: undefined,
})

const newHeight = (
  turn: Turn,
  head: HeadContext,
  restart: RestartRecord | undefined,
  before: HeightState | undefined,
): HeightState => {
  const sequence = head.number + 1n
  const readyMs = readyTimeoutAt(turn.environment, before, sequence, head.validators.length)
  const isOwn = restart !== undefined && restart.sequence === sequence
  // Having signed for a later height, this node has forgotten blocks: it signs nothing until it has them again.
  const isBehindItself = restart !== undefined && restart.sequence > sequence
  return {
    head,
    sequence,
    quorum: quorumOf(head.validators.length),
    active: head.active && !isBehindItself && includesAddress(head.validators, turn.environment.address),
    round: undefined,
    futureVotes: new Map(),
    roundChanges: new Map(),
    shares: new Map(),
    actionedRound: 0,
    certificate: isOwn ? restart.certificate : undefined,
    failedRounds: 0,
    heldMs: 0,
    readyMs,
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

/** Begins where it stopped: in the round that it signed for last, so that it meets the others there. */
function* begin(turn: Turn, height: HeightState): Steps<HeightState> {
  const { signed } = height
  if (signed.round > 0) {
    const lowest = lowestRound(height)
    const round = lowest === NO_ROUND ? signed.round : lowest
    return yield* changeRoundAgain(turn, enterRound(turn, height, round, 'restart'))
  }
  ask(turn, {
    kind: 'start-timer',
    timer: { kind: 'block', sequence: height.sequence },
    atMs: height.head.readyAtMs,
  })
  return height
}

const isNews = ({ height }: QbftState, head: HeadContext): boolean => {
  if (height === undefined || head.number > height.head.number) return true
  return (
    head.number === height.head.number &&
    equalBytes(head.hash, height.head.hash) &&
    head.active !== height.head.active
  )
}

const recallAt = (
  turn: Turn,
  { recall, height: before }: QbftState,
  height: HeightState,
): Recall | undefined => {
  if (recall === undefined || before?.sequence === height.sequence) return recall
  if (before === undefined) return recallAtStart(recall, height.head.number)
  return recallAtHeight(recall, height.sequence, turn.nowMs)
}

const startFloor = (recall: Recall | undefined): number => (recall === undefined ? 0 : NO_ROUND)

/** What was signed in this life for a height that this node is at already and begins again. */
const recordAt = ({ height }: QbftState, sequence: bigint): RestartRecord | undefined =>
  height?.sequence === sequence ? { ...height.signed, certificate: height.certificate } : undefined

/** Messages that came before their height. */
function* useTaken(turn: Turn, height: HeightState, taken: FutureMessages): Steps<HeightState> {
  let next = height
  for (const { author, peer, wire } of taken) {
    const message = openMessage(wire.code, wire.data)
    // It was a validator when its message came.
    if (includesAddress(height.head.validators, author))
      next = yield* useMessage(turn, next, message, { author, peer, wire })
    else drop(turn, 'not-a-validator', { peer, author }, `${message.kind} of height ${height.sequence}`)
  }
  return next
}

/** The chain has a new head: agreement on the next height begins, with what was already received for it. */
export function* handleHead(turn: Turn, before: QbftState, head: HeadContext): Steps<QbftState> {
  if (!isNews(before, head)) return before
  const state = { ...before, seen: seenOf(before.seen, new Set(head.validators.map(keyOf))) }
  for (const timer of ['block', 'round', 'resend'] as const) ask(turn, { kind: 'cancel-timer', timer })
  const restart = state.restart ?? recordAt(state, head.number + 1n)
  const isOver = restart !== undefined && restart.sequence <= head.number
  const height = newHeight(turn, head, restart, state.height)
  const kept = isOver || height.active ? undefined : restart
  const recall = recallAt(turn, state, height)
  if (!head.active) return { ...state, height, recall, restart: kept }
  const { taken, left } = takeFuture(state.future, height.sequence)
  if (!height.active) return { ...state, height, recall, restart: kept, future: left }
  // What this validator signed itself, as others showed it, binds it from the start.
  const own = taken.filter(({ author }) => isSelf(turn, author))
  const bound = yield* useTaken(turn, { ...height, floor: startFloor(recall) }, own)
  const asked = askPositions(turn, yield* considerRecall(turn, { ...state, height: bound, recall }))
  const begun = yield* begin(turn, asked.height ?? bound)
  const next = yield* useTaken(
    turn,
    begun,
    taken.filter(({ author }) => !isSelf(turn, author)),
  )
  return { ...asked, height: next, restart: kept, future: left }
}
