import type { Steps } from '../../steps.ts'
import { faultsOf } from '../../validators/quorum.ts'
import { broadcast } from './broadcast.ts'
import type { RoundReason } from '../effect.ts'
import type { RoundChangeMessage } from '../message.ts'
import { signRoundChange } from './signing.ts'
import { beginProposal } from './propose.ts'
import { lowestRound, NO_ROUND } from '../restart/recall.ts'
import { currentRound, enterRound, RESENT_BYTES, startResendTimer, startRoundTimer } from './rounds.ts'
import type { HeightState } from '../state.ts'
import { keyOf, type TransitionContext } from '../transitionContext.ts'

/**
 * The highest round that a quorum requests ("hasReceivedQuorumOfRoundChanges"), not below the current one and not applied
 * before.
 */
const quorumRound = (height: HeightState): number | undefined => {
  const counts = new Map<number, number>()
  for (const { signed } of height.roundChanges.values())
    counts.set(signed.payload.round, (counts.get(signed.payload.round) ?? 0) + 1)
  const reached = [...counts]
    .filter(([round, count]) => count >= height.quorum && round > height.actionedRound)
    .map(([round]) => round)
  return reached.length === 0 ? undefined : Math.max(...reached)
}

/** The lowest of the rounds above the current one that F + 1 validators request: one of them is honest. */
const earlyRound = (context: TransitionContext, height: HeightState): number | undefined => {
  if (!context.environment.earlyRoundChange) return undefined
  const current = currentRound(height)
  const higher = [...height.roundChanges.values()]
    .map(({ signed }) => signed.payload.round)
    .filter(round => round > current)
  return higher.length > faultsOf(height.head.validators.length) ? Math.min(...higher) : undefined
}

/**
 * Applies the round changes received so far: a quorum for a round starts it (and restarts its timer, which synchronises
 * validators); F + 1 for higher rounds make this validator request one of them.
 */
export function* actOnRoundChanges(context: TransitionContext, height: HeightState): Steps<HeightState> {
  const reached = quorumRound(height)
  if (reached !== undefined) {
    const isCurrent = reached === currentRound(height)
    if (isCurrent) startRoundTimer(context, height)
    const begun = isCurrent ? height : enterRound(context, height, reached, 'round-changes')
    return yield* beginProposal(context, { ...begun, actionedRound: reached })
  }
  const early = earlyRound(context, height)
  return early === undefined ? height : yield* changeRound(context, height, early, 'early-round-change')
}

/** Sends this validator's round change for the current round, with its prepared certificate. */
function* sendRoundChange(context: TransitionContext, height: HeightState): Steps<HeightState> {
  const { round, certificate } = height
  if (round === undefined) return height
  const made = yield* signRoundChange(context, height, round.round)
  if (made === undefined) return height
  const message: RoundChangeMessage = {
    kind: 'round-change',
    signed: made.signed,
    block: certificate?.block,
    prepares: certificate?.prepares ?? [],
  }
  const own = keyOf(context.environment.address)
  const wire = broadcast(context, height, message)
  const roundChanges = new Map(made.height.roundChanges)
  roundChanges.set(own, message)
  const sent: HeightState = { ...made.height, roundChanges, ownRoundChange: wire }
  if (wire.data.length > RESENT_BYTES) startResendTimer(context, sent)
  return sent
}

/** The first round from `round` on that this validator may sign a round change for. */
const requestableRound = (height: HeightState, round: number): number => {
  const lowest = lowestRound(height)
  return lowest === NO_ROUND ? round : Math.max(round, lowest)
}

/** Moves to a higher round and sends a round change ("UponRoundTimeout"). */
export function* changeRound(
  context: TransitionContext,
  height: HeightState,
  round: number,
  reason: RoundReason,
): Steps<HeightState> {
  const entered = enterRound(context, height, requestableRound(height, round), reason)
  return yield* actOnRoundChanges(context, yield* sendRoundChange(context, entered))
}

/**
 * Sends the round change for the round in which a restarted validator continues. A validator with a certificate of that
 * same round cannot repeat its earlier round change, and waits for the end of the round.
 */
export function* changeRoundAgain(context: TransitionContext, height: HeightState): Steps<HeightState> {
  const { certificate, round } = height
  const isLater = certificate !== undefined && certificate.round >= (round?.round ?? 0)
  return isLater ? height : yield* actOnRoundChanges(context, yield* sendRoundChange(context, height))
}
