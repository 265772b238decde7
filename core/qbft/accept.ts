import { equalBytes } from '../bytes/bytes.ts'
import { broadcastInRound } from './broadcast.ts'
import { checkCommitted, checkPrepared } from './commit.ts'
import { signPrepare } from './own.ts'
import { commitRule } from './rules/commit.ts'
import type { HeightState, ProposalCandidate, RoundState } from './state.ts'
import { keyOf, type Turn } from './turn.ts'

/** Votes that came before the proposal were kept unjudged: those for something else go. */
const judged = (round: RoundState, proposal: ProposalCandidate): RoundState => {
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
 * Takes a verified proposal of the current round ("UponProposal"): prepares it, and goes as far as the votes that are
 * already there lead. What counts locally counts before the prepare is on the wire, as in Besu.
 */
export const acceptProposal = (turn: Turn, height: HeightState, proposal: ProposalCandidate): HeightState => {
  const { round } = height
  if (round === undefined || height.importing !== undefined) return height
  const accepted: HeightState = { ...height, round: judged(round, proposal) }
  const made = signPrepare(turn, accepted, round.round, proposal.digest)
  if (made === undefined) return checkCommitted(turn, checkPrepared(turn, accepted))
  const message = { kind: 'prepare', signed: made.signed } as const
  const own = keyOf(turn.environment.address)
  const withOwn = made.height.round
  if (withOwn === undefined) return made.height
  const prepares = new Map([[own, message] as const, ...withOwn.prepares])
  const prepared = checkPrepared(turn, { ...made.height, round: { ...withOwn, prepares } })
  return checkCommitted(turn, broadcastInRound(turn, prepared, message))
}
