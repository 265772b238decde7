import { equalBytes } from '../../bytes/bytes.ts'
import { assertInvariant } from '../invariant.ts'
import { broadcastInRound } from './broadcast.ts'
import { checkCommitted, checkPrepared } from './commit.ts'
import type { Steps } from '../../steps.ts'
import { signPrepare } from './signing.ts'
import { commitRule } from '../rules/commit.ts'
import type { HeightState, ProposalCandidate, RoundState } from '../state.ts'
import { keyOf, type TransitionContext } from '../transitionContext.ts'

/** The round with the accepted proposal. Removes votes for another digest: votes before the proposal were not checked. */
const withAcceptedProposal = (round: RoundState, proposal: ProposalCandidate): RoundState => {
  const { block } = proposal.message.signed.payload
  return {
    ...round,
    candidate: undefined,
    proposal,
    prepares: new Map(
      [...round.prepares].filter(([, { signed }]) => equalBytes(signed.payload.digest, proposal.digest)),
    ),
    commits: new Map(
      [...round.commits].filter(([, { signed }]) => commitRule(signed, block, proposal.digest) === undefined),
    ),
  }
}

/**
 * Accepts a verified proposal of the current round ("UponProposal"): prepares it and applies the votes that already
 * arrived. This validator's own votes count before they are sent, as in Besu.
 */
export function* acceptProposal(
  context: TransitionContext,
  height: HeightState,
  proposal: ProposalCandidate,
): Steps<HeightState> {
  const { round, importing } = height
  assertInvariant(round !== undefined && importing === undefined, 'accepted-in-open-round', () =>
    round === undefined ? 'no round has begun' : `round ${round.round} is decided`,
  )
  const accepted = { ...height, round: withAcceptedProposal(round, proposal) }
  const made = yield* signPrepare(context, accepted, round.round, proposal.digest)
  if (made === undefined) return yield* checkCommitted(context, yield* checkPrepared(context, accepted))
  const message = { kind: 'prepare', signed: made.signed } as const
  const own = keyOf(context.environment.address)
  const prepares = new Map([[own, message] as const, ...accepted.round.prepares])
  const prepared = yield* checkPrepared(context, { ...made.height, round: { ...accepted.round, prepares } })
  return yield* checkCommitted(context, broadcastInRound(context, prepared, message))
}
