import type { Address } from '../bytes/bytes.ts'
import { fromHex } from '../bytes/hex.ts'
import { proposerOf } from '../validators/proposer.ts'
import { encodeMessage } from './codec/message.ts'
import type { RoundReason } from './effect.ts'
import { noteSignature, withPastSignatures } from './evidence.ts'
import type { HeightState, RoundState, Votes } from './state.ts'
import { roundTimeoutMs } from './timeouts.ts'
import { ask, keyOf, type Turn } from './turn.ts'

/** The own round change is repeated so often while the round stays open: one that was lost, or a peer that restarted, ends no round. */
export const RESEND_MS = 2_000

export const noVotes: Votes = { prepares: new Map(), commits: new Map() }

/** Who proposes in a round of the height. */
export const proposerIn = ({ head }: HeightState, round: number): Address | undefined =>
  proposerOf(head.validators, head.coinbase, round)

/** Round of the height, -1 before the first. */
export const currentRound = ({ round }: HeightState): number => round?.round ?? -1

/** Validators that a message of the current round or a later one came from, the own one included. */
export const heardIn = (turn: Turn, height: HeightState): readonly Address[] => {
  const { round } = height
  const keys = new Set([keyOf(turn.environment.address)])
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

export const startRoundTimer = (turn: Turn, height: HeightState): void => {
  const { round, sequence } = height
  if (round === undefined) return
  ask(turn, {
    kind: 'start-timer',
    timer: { kind: 'round', sequence, round: round.round },
    atMs: turn.nowMs + roundTimeoutMs(turn.environment, height),
  })
}

export const startResendTimer = (turn: Turn, { sequence }: HeightState): void =>
  ask(turn, { kind: 'start-timer', timer: { kind: 'resend', sequence }, atMs: turn.nowMs + RESEND_MS })

/** Votes that came early are each their author's first of the round. */
const withFirstSignatures = (turn: Turn, round: RoundState): RoundState => {
  const { dialect } = turn.environment
  let noted = round
  for (const votes of [round.prepares, round.commits])
    for (const [key, message] of votes)
      noted = noteSignature(turn, noted, message, {
        author: fromHex(key),
        wire: encodeMessage(message, dialect),
      })
  return noted
}

/** Begins a round: its votes that came early count, everything of lower rounds is forgotten. */
export const enterRound = (
  turn: Turn,
  height: HeightState,
  round: number,
  reason: RoundReason,
): HeightState => {
  const begun: RoundState = {
    ...(height.futureVotes.get(round) ?? noVotes),
    round,
    candidate: undefined,
    proposal: undefined,
    prepared: false,
    ownCommit: undefined,
    first: new Map(),
    justification: [],
    toPropose: undefined,
  }
  const next: HeightState = {
    ...height,
    round: withFirstSignatures(turn, begun),
    pastSignatures: withPastSignatures(height, round),
    futureVotes: new Map([...height.futureVotes].filter(([of]) => of > round)),
    roundChanges: new Map([...height.roundChanges].filter(([, { signed }]) => signed.payload.round >= round)),
    shares: new Map(),
    heldMs: 0,
    ownMessages: [],
    ownRoundChange: undefined,
  }
  startRoundTimer(turn, next)
  if (round > 0) startResendTimer(turn, next)
  ask(turn, {
    kind: 'round-started',
    sequence: next.sequence,
    round,
    timeoutMs: roundTimeoutMs(turn.environment, next),
    reason,
    heard: heardIn(turn, next),
    quorum: next.quorum,
  })
  return next
}
