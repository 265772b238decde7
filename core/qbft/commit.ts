import { proposalDigest, withRound, withSeals } from './codec/roundOfBlock.ts'
import { broadcastInRound } from './broadcast.ts'
import { signCommit, signedIn } from './own.ts'
import { sealerOf } from './signing.ts'
import type { HeightState, ProposalCandidate, RoundState } from './state.ts'
import { ask, type Turn } from './turn.ts'

type Accepted = { readonly round: RoundState; readonly proposal: ProposalCandidate }

/** The round and its accepted proposal, while it is still to be decided. */
export const deciding = ({ round, importing }: HeightState): Accepted | undefined =>
  round?.proposal === undefined || importing !== undefined ? undefined : { round, proposal: round.proposal }

/** Makes the own commit of the accepted proposal, once. */
const withOwnCommit = (turn: Turn, height: HeightState, { round, proposal }: Accepted): HeightState => {
  if (round.ownCommit !== undefined) return height
  const { block } = proposal.message.signed.payload
  const made = signCommit(turn, height, round.round, block, proposal.digest)
  return made === undefined ? height : { ...made.height, round: { ...round, ownCommit: made.signed } }
}

/**
 * "Prepared": the proposal and a quorum of prepares. The first time, the certificate is kept: it is what this validator
 * is locked on, and the commit is sent.
 */
export const checkPrepared = (turn: Turn, height: HeightState): HeightState => {
  const at = deciding(height)
  if (at === undefined || at.round.prepared || at.round.prepares.size < height.quorum) return height
  const { round, proposal } = at
  const prepares = [...round.prepares.values()].map(({ signed }) => signed)
  const { block } = proposal.message.signed.payload
  const locked: HeightState = {
    ...height,
    // Even where its own signer failed all through the round, it begins again there, not below its certificate.
    signed: signedIn(height.signed, round.round),
    round: { ...round, prepared: true },
    certificate: { block, round: round.round, digest: proposal.digest, prepares },
  }
  const next = withOwnCommit(turn, locked, { round: { ...round, prepared: true }, proposal })
  const ownCommit = next.round?.ownCommit
  return ownCommit === undefined ? next : broadcastInRound(turn, next, { kind: 'commit', signed: ownCommit })
}

/**
 * A quorum signed the block and recorded its certificate before. A validator that is not prepared counts itself, too
 * ("Committed"), and is not of that quorum: with one liar in it, one record less than is needed would be left. A lone
 * validator records nothing.
 */
const isRecorded = ({ head, quorum }: HeightState, { prepared, commits }: RoundState): boolean =>
  head.validators.length > 1 && (prepared || commits.size >= quorum)

/**
 * "Committed": the proposal and a quorum of commits, the own one among them although it may not have been sent: a
 * quorum less one of others that committed were prepared. The block is imported with all seals there are.
 */
export const checkCommitted = (turn: Turn, height: HeightState): HeightState => {
  const at = deciding(height)
  if (at === undefined || at.round.commits.size + 1 < height.quorum) return height
  const next = withOwnCommit(turn, height, at)
  const commits = [...at.round.commits.values()].map(({ signed }) => signed)
  const own = next.round?.ownCommit
  const all = own === undefined ? commits : [own, ...commits]
  if (all.length < height.quorum) return next
  const { round, proposal } = at
  const seals = all.map(({ payload }) => payload.commitSeal)
  const proposed = withRound(proposal.message.signed.payload.block, round.round)
  const digest = proposalDigest(proposed)
  ask(turn, {
    kind: 'import-block',
    block: withSeals(proposed, round.round, seals),
    hash: proposal.hash,
    sealers: all.map(signed => sealerOf(signed, digest)),
    isRecorded: isRecorded(height, round),
  })
  return { ...next, importing: proposal.hash }
}
