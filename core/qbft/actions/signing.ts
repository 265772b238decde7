import { equalBytes, type Hash } from '../../bytes/bytes.ts'
import type { Block } from '../../block/block.ts'
import { qbftSealHash, qbftSealPreimage } from '../../block/codec/blockHash.ts'
import type { Seal } from '../../block/codec/seal.ts'
import { encodeCommitPayload } from '../codec/commit.ts'
import { encodePreparePayload } from '../codec/prepare.ts'
import { encodeProposalPayloadSteps } from '../codec/proposal.ts'
import { withRound } from '../codec/roundOfBlock.ts'
import { encodeRoundChangePayload } from '../codec/roundChange.ts'
import type { QbftEnvironment } from '../environment.ts'
import {
  type PreparedMetadata,
  type QbftCode,
  QBFT_CODES,
  type Signed,
  type SignedCommit,
  type SignedPrepare,
  type SignedProposal,
  type SignedRoundChange,
} from '../message.ts'
import type { Steps } from '../../steps.ts'
import { lowestRound } from '../restart/recall.ts'
import type { RestartRecord } from '../restart/restartRecord.ts'
import { signingDigestSteps, signingPreimage } from '../signatures.ts'
import { assertInvariant } from '../invariant.ts'
import type { HeightState } from '../state.ts'
import type { TransitionContext } from '../transitionContext.ts'

/**
 * The height with the new signature recorded, and the signed message; undefined when signing is not allowed or the signer
 * failed.
 */
type SigningResult<Value> = { readonly height: HeightState; readonly signed: Value } | undefined

export type SignedKind = 'proposed' | 'prepared' | 'committed'

/** The recorded signatures in `round`; signatures of a lower round are dropped. */
export const signedIn = (signed: RestartRecord, round: number): RestartRecord => {
  if (signed.round === round) return signed
  assertInvariant(round > signed.round, 'signed-once', () => `round ${round} after round ${signed.round}`)
  return { ...signed, round, proposed: undefined, prepared: undefined, committed: undefined }
}

/** A validator signs one value of each kind in a round, and never in a round below the highest one in which it signed. */
const maySign = (height: HeightState, round: number, kind: SignedKind, digest: Hash): boolean => {
  if (round < lowestRound(height)) return false
  const before = signedIn(height.signed, round)[kind]
  return before === undefined || equalBytes(before, digest)
}

/** Keeps the same `signed` object when the value is already recorded, so that the record is not written again. */
const withValue = (height: HeightState, round: number, kind: SignedKind, digest: Hash): HeightState => {
  const signed = signedIn(height.signed, round)
  return { ...height, signed: signed[kind] === undefined ? { ...signed, [kind]: digest } : signed }
}

/**
 * Records the digest that this validator will prepare in the round if the block is valid, so that the record is written
 * while the block is verified. This is safe, because only one value can be prepared in a round.
 */
export const reservePrepare = (height: HeightState, round: number, digest: Hash): HeightState =>
  maySign(height, round, 'prepared', digest) ? withValue(height, round, 'prepared', digest) : height

/** The signature of the digest of `preimage`; undefined when the signer fails. Yields until a remote signer has answered. */
function* sealOf(
  { sign }: QbftEnvironment,
  digest: Hash,
  preimage: () => Uint8Array,
): Steps<Seal | undefined> {
  try {
    const signing = sign(digest, preimage)
    return signing instanceof Uint8Array ? signing : yield* signing
  } catch {
    // The signer reports its failures itself.
    return undefined
  }
}

function* signMessage<Payload>(
  environment: QbftEnvironment,
  code: QbftCode,
  payload: Payload,
  payloadBytes: Uint8Array,
): Steps<Signed<Payload> | undefined> {
  const digest = yield* signingDigestSteps(code, payloadBytes)
  const signature = yield* sealOf(environment, digest, () => signingPreimage(code, payloadBytes))
  return signature === undefined ? undefined : { payload, payloadBytes, signature }
}

function* signOnce<Value>(
  height: HeightState,
  round: number,
  kind: SignedKind,
  digest: Hash,
  make: () => Steps<Value | undefined>,
): Steps<SigningResult<Value>> {
  if (!maySign(height, round, kind, digest)) return undefined
  assertInvariant(
    height.active && round >= lowestRound(height),
    'signed-in-allowed-round',
    () => `${kind} in round ${round}, the lowest allowed is ${lowestRound(height)}`,
  )
  const signed = yield* make()
  return signed === undefined ? undefined : { height: withValue(height, round, kind, digest), signed }
}

/**
 * Signs a proposal; `block` has the round (0 for GoQuorum) and no seals. Yields while the block is encoded and before it is
 * hashed, because the signature covers the whole block.
 */
export function* signProposal(
  { environment }: TransitionContext,
  height: HeightState,
  round: number,
  block: Block,
): Steps<SigningResult<SignedProposal>> {
  const payload = { sequence: height.sequence, round, block }
  const payloadBytes = yield* encodeProposalPayloadSteps(payload, environment.dialect)
  yield
  return yield* signOnce(height, round, 'proposed', qbftSealHash(block.header), () =>
    signMessage(environment, QBFT_CODES.proposal, payload, payloadBytes),
  )
}

export function* signPrepare(
  { environment }: TransitionContext,
  height: HeightState,
  round: number,
  digest: Hash,
): Steps<SigningResult<SignedPrepare>> {
  const payload = { sequence: height.sequence, round, digest }
  return yield* signOnce(height, round, 'prepared', digest, () =>
    signMessage(environment, QBFT_CODES.prepare, payload, encodePreparePayload(payload)),
  )
}

function* makeCommit(
  environment: QbftEnvironment,
  at: { readonly sequence: bigint; readonly round: number; readonly digest: Hash },
  block: Block,
): Steps<SignedCommit | undefined> {
  const { header } = withRound(block, at.round)
  const commitSeal = yield* sealOf(environment, qbftSealHash(header), () => qbftSealPreimage(header))
  if (commitSeal === undefined) return undefined
  const payload = { ...at, commitSeal }
  return yield* signMessage(environment, QBFT_CODES.commit, payload, encodeCommitPayload(payload))
}

/** Signs a commit, only to the block that was prepared in the same round, because a commit seal cannot be withdrawn. */
export function* signCommit(
  { environment }: TransitionContext,
  height: HeightState,
  round: number,
  block: Block,
  digest: Hash,
): Steps<SigningResult<SignedCommit>> {
  const { signed } = height
  const isPrepared =
    signed.round === round && signed.prepared !== undefined && equalBytes(signed.prepared, digest)
  if (!isPrepared) return undefined
  return yield* signOnce(height, round, 'committed', digest, () =>
    makeCommit(environment, { sequence: height.sequence, round, digest }, block),
  )
}

/** Signs a round change with the highest prepared certificate. Afterwards this validator does not sign in lower rounds. */
export function* signRoundChange(
  { environment }: TransitionContext,
  height: HeightState,
  round: number,
): Steps<SigningResult<SignedRoundChange>> {
  const { signed, certificate, sequence } = height
  if (round < lowestRound(height)) return undefined
  assertInvariant(
    round > (certificate?.round ?? 0),
    'round-change-after-lock',
    () => `round ${round} with a certificate of round ${certificate?.round ?? 'none'}`,
  )
  const prepared: PreparedMetadata | undefined =
    certificate === undefined ? undefined : { round: certificate.round, digest: certificate.digest }
  const payload = { sequence, round, prepared }
  const payloadBytes = encodeRoundChangePayload(payload)
  const made = yield* signMessage(environment, QBFT_CODES['round-change'], payload, payloadBytes)
  return made === undefined
    ? undefined
    : { height: { ...height, signed: signedIn(signed, round) }, signed: made }
}

/** Records a signature of this validator that others sent back. It counts like a signature since the start. */
export const rememberSignature = (
  height: HeightState,
  round: number,
  kind: SignedKind,
  digest: Hash,
): HeightState => {
  const { signed } = height
  if (round < signed.round || (round === signed.round && signed[kind] !== undefined)) return height
  return { ...height, hasForgotten: true, signed: { ...signedIn(signed, round), [kind]: digest } }
}

/** Records a round change of this validator that others sent back: it has left every lower round. */
export const rememberRound = (height: HeightState, round: number): HeightState =>
  round <= height.signed.round
    ? height
    : { ...height, hasForgotten: true, signed: signedIn(height.signed, round) }
