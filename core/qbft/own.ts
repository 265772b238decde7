import { equalBytes, type Hash } from '../bytes/bytes.ts'
import type { Block } from '../chain/block.ts'
import { qbftSealHash } from '../chain/codec/blockHash.ts'
import { encodeCommitPayload } from './codec/commit.ts'
import { encodePreparePayload } from './codec/prepare.ts'
import { encodeProposalPayloadSteps } from './codec/proposal.ts'
import { withRound } from './codec/roundOfBlock.ts'
import { encodeRoundChangePayload } from './codec/roundChange.ts'
import {
  type PreparedMetadata,
  QBFT_CODES,
  type SignedCommit,
  type SignedPrepare,
  type SignedProposal,
  type SignedRoundChange,
} from './message.ts'
import type { Steps } from '../steps.ts'
import { lowestRound } from './recall.ts'
import type { RestartRecord } from './restartRecord.ts'
import { signingDigestSteps, signPayload } from './signing.ts'
import type { HeightState } from './state.ts'
import type { Turn } from './turn.ts'

/** A height with what was just signed noted in it; undefined when it must not be signed, or the signer failed. */
export type Signing<Value> = { readonly height: HeightState; readonly signed: Value } | undefined

export type SignedKind = 'proposed' | 'prepared' | 'committed'

/** What was signed so far, as far as it matters in `round`: all of it lies behind in a lower one. */
export const signedIn = (signed: RestartRecord, round: number): RestartRecord =>
  signed.round === round
    ? signed
    : { ...signed, round, proposed: undefined, prepared: undefined, committed: undefined }

/** One value of each kind in a round, and nothing in a round below the highest one. */
const maySign = (height: HeightState, round: number, kind: SignedKind, digest: Hash): boolean => {
  if (round < lowestRound(height)) return false
  const before = signedIn(height.signed, round)[kind]
  return before === undefined || equalBytes(before, digest)
}

/** `signed` itself stays where nothing is new in it: what is recorded already is not recorded again. */
const withValue = (height: HeightState, round: number, kind: SignedKind, digest: Hash): HeightState => {
  const signed = signedIn(height.signed, round)
  return { ...height, signed: signed[kind] === undefined ? { ...signed, [kind]: digest } : signed }
}

/**
 * Notes what will be prepared in the round should the block be valid. It is recorded while the block is verified: only one
 * value can be prepared, and to say too early which it is costs nothing.
 */
export const foreseePrepare = (height: HeightState, round: number, digest: Hash): HeightState =>
  maySign(height, round, 'prepared', digest) ? withValue(height, round, 'prepared', digest) : height

/** A signer may fail, as a hardware one does when it is out of reach: then this message is left out. */
const attempt = <Value>(make: () => Value): Value | undefined => {
  try {
    return make()
  } catch {
    return undefined
  }
}

const signOnce = <Value>(
  height: HeightState,
  round: number,
  kind: SignedKind,
  digest: Hash,
  make: () => Value,
): Signing<Value> => {
  if (!maySign(height, round, kind, digest)) return undefined
  const signed = attempt(make)
  return signed === undefined ? undefined : { height: withValue(height, round, kind, digest), signed }
}

/** `block` carries the round and no seals. Yields while the block, all of which is signed, is encoded, and before it is hashed. */
export function* signProposal(
  { environment }: Turn,
  height: HeightState,
  round: number,
  block: Block,
): Steps<Signing<SignedProposal>> {
  const payload = { sequence: height.sequence, round, block }
  const payloadBytes = yield* encodeProposalPayloadSteps(payload, environment.dialect)
  yield
  const digest = yield* signingDigestSteps(QBFT_CODES.proposal, payloadBytes)
  return signOnce(height, round, 'proposed', qbftSealHash(block.header), () => ({
    payload,
    payloadBytes,
    signature: environment.sign(digest),
  }))
}

export const signPrepare = (
  { environment }: Turn,
  height: HeightState,
  round: number,
  digest: Hash,
): Signing<SignedPrepare> => {
  const payload = { sequence: height.sequence, round, digest }
  return signOnce(height, round, 'prepared', digest, () =>
    signPayload(QBFT_CODES.prepare, payload, encodePreparePayload(payload), environment.sign),
  )
}

/** Only what was prepared in the same round is committed: a seal for anything else could not be taken back. */
export const signCommit = (
  { environment }: Turn,
  height: HeightState,
  round: number,
  block: Block,
  digest: Hash,
): Signing<SignedCommit> => {
  const { signed } = height
  const isPrepared =
    signed.round === round && signed.prepared !== undefined && equalBytes(signed.prepared, digest)
  if (!isPrepared) return undefined
  return signOnce(height, round, 'committed', digest, () => {
    const commitSeal = environment.sign(qbftSealHash(withRound(block, round).header))
    const payload = { sequence: height.sequence, round, digest, commitSeal }
    return signPayload(QBFT_CODES.commit, payload, encodeCommitPayload(payload), environment.sign)
  })
}

/** A round change tells the highest certificate; it takes this validator out of every lower round. */
export const signRoundChange = (
  { environment }: Turn,
  height: HeightState,
  round: number,
): Signing<SignedRoundChange> => {
  const { signed, certificate, sequence } = height
  if (round < lowestRound(height)) return undefined
  const prepared: PreparedMetadata | undefined =
    certificate === undefined ? undefined : { round: certificate.round, digest: certificate.digest }
  const payload = { sequence, round, prepared }
  const made = attempt(() =>
    signPayload(QBFT_CODES['round-change'], payload, encodeRoundChangePayload(payload), environment.sign),
  )
  return made === undefined
    ? undefined
    : { height: { ...height, signed: signedIn(signed, round) }, signed: made }
}

/** A signature of this validator that others show: it binds, as if it had been given in this life. */
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

/** The same of a round change: this validator has left every lower round. */
export const rememberRound = (height: HeightState, round: number): HeightState =>
  round <= height.signed.round
    ? height
    : { ...height, hasForgotten: true, signed: signedIn(height.signed, round) }
