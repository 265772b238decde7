import type { Steps } from '../steps.ts'
import { faultsOf } from '../validators/quorum.ts'
import { broadcast } from './broadcast.ts'
import type { RoundReason } from './effect.ts'
import type { RoundChangeMessage } from './message.ts'
import { signRoundChange } from './own.ts'
import { beginProposal } from './propose.ts'
import { lowestRound, NO_ROUND } from './recall.ts'
import { currentRound, enterRound, heardIn, startRoundTimer } from './rounds.ts'
import type { HeightState } from './state.ts'
import { keyOf, type Turn } from './turn.ts'

/** The highest round, not below the current one, that a quorum asks for and that was not acted on ("hasReceivedQuorumOfRoundChanges"). */
const quorumRound = (height: HeightState): number | undefined => {
  const counts = new Map<number, number>()
  for (const { signed } of height.roundChanges.values())
    counts.set(signed.payload.round, (counts.get(signed.payload.round) ?? 0) + 1)
  const reached = [...counts]
    .filter(([round, count]) => count >= height.quorum && round > height.actionedRound)
    .map(([round]) => round)
  return reached.length === 0 ? undefined : Math.max(...reached)
}

/** The lowest round that F + 1 validators want to be beyond the current one for: one of them is honest. */
const earlyRound = (turn: Turn, height: HeightState): number | undefined => {
  if (!turn.environment.earlyRoundChange) return undefined
  const current = currentRound(height)
  const higher = [...height.roundChanges.values()]
    .map(({ signed }) => signed.payload.round)
    .filter(round => round > current)
  return higher.length > faultsOf(height.head.validators.length) ? Math.min(...higher) : undefined
}

/**
 * The next round, where the current one was held for want of a quorum, one is heard now, and one of it asks for a later round: the
 * timer would lead there, too, and a validator that just started is not waited for any longer.
 */
const roundAfterHeld = (turn: Turn, height: HeightState): number | undefined => {
  const current = currentRound(height)
  if (!turn.environment.earlyRoundChange || height.heldMs === 0) return undefined
  const isAsked = [...height.roundChanges.values()].some(({ signed }) => signed.payload.round > current)
  return isAsked && heardIn(turn, height).length >= height.quorum ? current + 1 : undefined
}

/**
 * What the round changes gathered so far lead to: a quorum for a round begins it (and its timer counts from then on, which
 * brings validators into step), F + 1 for higher ones pull this validator along.
 */
export function* actOnRoundChanges(turn: Turn, height: HeightState): Steps<HeightState> {
  const reached = quorumRound(height)
  if (reached !== undefined) {
    const isCurrent = reached === currentRound(height)
    if (isCurrent) startRoundTimer(turn, height)
    const begun = isCurrent ? height : enterRound(turn, height, reached, 'round-changes')
    return yield* beginProposal(turn, { ...begun, actionedRound: reached })
  }
  const early = earlyRound(turn, height) ?? roundAfterHeld(turn, height)
  return early === undefined ? height : yield* changeRound(turn, height, early, 'early-round-change')
}

/** Sends the own round change for the current round, with the certificate this validator is locked on. */
export const sendRoundChange = (turn: Turn, height: HeightState): HeightState => {
  const { round, certificate } = height
  if (round === undefined) return height
  const made = signRoundChange(turn, height, round.round)
  if (made === undefined) return height
  const message: RoundChangeMessage = {
    kind: 'round-change',
    signed: made.signed,
    block: certificate?.block,
    prepares: certificate?.prepares ?? [],
  }
  const own = keyOf(turn.environment.address)
  const wire = broadcast(turn, height, message)
  const roundChanges = new Map(made.height.roundChanges)
  roundChanges.set(own, message)
  return { ...made.height, roundChanges, ownRoundChange: wire }
}

/** The round, or the first above it that this validator may ask for: in a lower one nobody would hear of it. */
const askable = (height: HeightState, round: number): number => {
  const lowest = lowestRound(height)
  return lowest === NO_ROUND ? round : Math.max(round, lowest)
}

/** Leaves the current round for a higher one and tells the others ("UponRoundTimeout"). */
export const changeRound = (
  turn: Turn,
  height: HeightState,
  round: number,
  reason: RoundReason,
): Steps<HeightState> =>
  actOnRoundChanges(turn, sendRoundChange(turn, enterRound(turn, height, askable(height, round), reason)))

/**
 * The own round change for the round a restarted validator begins in. Where it was prepared in that very round the
 * certificate it asked with then is gone, and it waits for the round's end.
 */
export function* changeRoundAgain(turn: Turn, height: HeightState): Steps<HeightState> {
  const { certificate, round } = height
  const isLater = certificate !== undefined && certificate.round >= (round?.round ?? 0)
  return isLater ? height : yield* actOnRoundChanges(turn, sendRoundChange(turn, height))
}
