import type { Steps } from '../../steps.ts'
import { proposalDigest, withRound, withSeals } from '../codec/roundOfBlock.ts'
import { broadcastInRound } from './broadcast.ts'
import { signCommit, signedIn } from './signing.ts'
import { sealerOf } from '../signatures.ts'
import type { HeightState, ProposalCandidate, RoundState } from '../state.ts'
import { emit, type TransitionContext } from '../transitionContext.ts'

type Accepted = { readonly round: RoundState; readonly proposal: ProposalCandidate }

/** The round and its accepted proposal; undefined without one or when the height is decided. */
export const undecidedProposal = ({ round, importing }: HeightState): Accepted | undefined =>
  round?.proposal === undefined || importing !== undefined ? undefined : { round, proposal: round.proposal }

/** Signs this validator's commit of the accepted proposal, once. */
function* withOwnCommit(
  context: TransitionContext,
  height: HeightState,
  { round, proposal }: Accepted,
): Steps<HeightState> {
  if (round.ownCommit !== undefined) return height
  const { block } = proposal.message.signed.payload
  const made = yield* signCommit(context, height, round.round, block, proposal.digest)
  return made === undefined ? height : { ...made.height, round: { ...round, ownCommit: made.signed } }
}

/**
 * "Prepared": the proposal and a quorum of prepares. The first time, the certificate is stored as this validator's lock,
 * and the commit is sent.
 */
export function* checkPrepared(context: TransitionContext, height: HeightState): Steps<HeightState> {
  const at = undecidedProposal(height)
  if (at === undefined || at.round.prepared || at.round.prepares.size < height.quorum) return height
  const { round, proposal } = at
  const prepares = [...round.prepares.values()].map(({ signed }) => signed)
  const { block } = proposal.message.signed.payload
  const locked: HeightState = {
    ...height,
    // A restart then continues in this round, not below the certificate, even if the signer failed in the whole round. Others
    // may have sent back signatures of a later round, which this validator made before its start.
    signed: signedIn(height.signed, Math.max(round.round, height.signed.round)),
    round: { ...round, prepared: true },
    certificate: { block, round: round.round, digest: proposal.digest, prepares },
  }
  const next = yield* withOwnCommit(context, locked, { round: { ...round, prepared: true }, proposal })
  const ownCommit = next.round?.ownCommit
  return ownCommit === undefined
    ? next
    : broadcastInRound(context, next, { kind: 'commit', signed: ownCommit })
}

/**
 * True when a quorum signed the block after recording its certificate. A validator that is not prepared counts itself
 * ("Committed") but has no such record: with one faulty validator in the quorum, too few records would remain. A single
 * validator writes no record.
 */
const isRecorded = ({ head, quorum }: HeightState, { prepared, commits }: RoundState): boolean =>
  head.validators.length > 1 && (prepared || commits.size >= quorum)

/**
 * "Committed": the proposal and a quorum of commits. This validator's commit counts even if it was not sent. The block is
 * imported with all available seals.
 */
export function* checkCommitted(context: TransitionContext, height: HeightState): Steps<HeightState> {
  const at = undecidedProposal(height)
  if (at === undefined || at.round.commits.size + 1 < height.quorum) return height
  const next = yield* withOwnCommit(context, height, at)
  const commits = [...at.round.commits.values()].map(({ signed }) => signed)
  const own = next.round?.ownCommit
  const all = own === undefined ? commits : [own, ...commits]
  if (all.length < height.quorum) return next
  const { round, proposal } = at
  const seals = all.map(({ payload }) => payload.commitSeal)
  const proposed = withRound(proposal.message.signed.payload.block, round.round)
  const digest = proposalDigest(proposed)
  emit(context, {
    kind: 'import-block',
    block: withSeals(proposed, round.round, seals),
    hash: proposal.hash,
    sealers: all.map(signed => sealerOf(signed, digest)),
    isRecorded: isRecorded(height, round),
  })
  return { ...next, importing: proposal.hash }
}
