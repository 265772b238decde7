import type { Address } from '../../bytes/bytes.ts'
import { fromHex } from '../../bytes/hex.ts'
import { proposerOf } from '../../validators/proposer.ts'
import { encodeMessage } from '../codec/message.ts'
import type { RoundReason } from '../effect.ts'
import { noteSignature, withPastSignatures } from './evidence.ts'
import { assertInvariant } from '../invariant.ts'
import type { HeightState, RoundState, Votes } from '../state.ts'
import { roundTimeoutMs } from './timeouts.ts'
import { emit, keyOf, type TransitionContext } from '../transitionContext.ts'

/**
 * Interval at which this validator repeats its round change while the round is open, so that a lost message or a restarted
 * peer does not block the round.
 */
export const RESEND_MS = 2_000

/**
 * Bytes of a round change that may be repeated per interval; a larger one is repeated less often. With the block of a prepared
 * certificate it has hundreds of kilobytes, and sending those to every validator again would take most of the processor time.
 */
export const RESENT_BYTES = 64 * 1024

export const noVotes: Votes = { prepares: new Map(), commits: new Map() }

/** The proposer of a round of the height. */
export const proposerIn = ({ head }: HeightState, round: number): Address | undefined =>
  proposerOf(head.validators, head.coinbase, round)

/** The current round of the height; -1 before the first. */
export const currentRound = ({ round }: HeightState): number => round?.round ?? -1

/** The validators from which a message of the current round or a later one arrived, including this one. */
export const heardIn = (context: TransitionContext, height: HeightState): readonly Address[] => {
  const { round } = height
  const keys = new Set([keyOf(context.environment.address)])
  const add = ({ prepares, commits }: Votes): void => {
    for (const key of prepares.keys()) keys.add(key)
    for (const key of commits.keys()) keys.add(key)
  }
  for (const key of height.roundChanges.keys()) keys.add(key)
  for (const votes of height.futureVotes.values()) add(votes)
  if (round !== undefined) add(round)
  const proposed = round?.proposal ?? round?.candidate
  if (proposed !== undefined) keys.add(keyOf(proposed.author))
  return [...keys].map(key => fromHex(key))
}

export const startRoundTimer = (context: TransitionContext, height: HeightState): void => {
  const { round, sequence } = height
  if (round === undefined) return
  emit(context, {
    kind: 'start-timer',
    timer: { kind: 'round', sequence, round: round.round },
    atMs: context.nowMs + roundTimeoutMs(context.environment, height),
  })
}

export const startResendTimer = (
  context: TransitionContext,
  { sequence, ownRoundChange }: HeightState,
): void => {
  const intervals = Math.max(1, Math.ceil((ownRoundChange?.data.length ?? 0) / RESENT_BYTES))
  const atMs = context.nowMs + intervals * RESEND_MS
  emit(context, { kind: 'start-timer', timer: { kind: 'resend', sequence }, atMs })
}

/** Stores votes that arrived before the round as the first signatures of their authors in it. */
const withFirstSignatures = (context: TransitionContext, round: RoundState): RoundState => {
  const { dialect } = context.environment
  let noted = round
  for (const votes of [round.prepares, round.commits])
    for (const [key, message] of votes)
      noted = noteSignature(context, noted, message, {
        author: fromHex(key),
        wire: encodeMessage(message, dialect),
      })
  return noted
}

/** Starts a round with the votes that arrived early, and discards the state of lower rounds. */
export const enterRound = (
  context: TransitionContext,
  height: HeightState,
  round: number,
  reason: RoundReason,
): HeightState => {
  assertInvariant(
    round > currentRound(height),
    'rounds-rise',
    () => `round ${round} after round ${currentRound(height)}`,
  )
  const begun: RoundState = {
    ...(height.futureVotes.get(round) ?? noVotes),
    round,
    candidate: undefined,
    proposal: undefined,
    prepared: false,
    ownCommit: undefined,
    first: new Map(),
    justification: [],
    reproposal: undefined,
  }
  const next: HeightState = {
    ...height,
    round: withFirstSignatures(context, begun),
    pastSignatures: withPastSignatures(height, round),
    futureVotes: new Map([...height.futureVotes].filter(([of]) => of > round)),
    roundChanges: new Map([...height.roundChanges].filter(([, { signed }]) => signed.payload.round >= round)),
    peerBudgets: new Map(),
    heldMs: 0,
    ownMessages: [],
    ownRoundChange: undefined,
  }
  startRoundTimer(context, next)
  if (round > 0) startResendTimer(context, next)
  emit(context, {
    kind: 'round-started',
    sequence: next.sequence,
    round,
    timeoutMs: roundTimeoutMs(context.environment, next),
    reason,
    heard: heardIn(context, next),
    quorum: next.quorum,
  })
  return next
}
