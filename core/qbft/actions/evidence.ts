import { type Address, equalBytes, type Hash } from '../../bytes/bytes.ts'
import { qbftSealHash } from '../../block/codec/blockHash.ts'
import { assertInvariant } from '../invariant.ts'
import type { QbftMessage, WireMessage } from '../message.ts'
import type { FirstSignature, HeightState, RoundState } from '../state.ts'
import { emit, keyOf, type TransitionContext } from '../transitionContext.ts'

/** A message that an honest validator signs once in a round. */
export type OncePerRound = Exclude<QbftMessage, { readonly kind: 'round-change' }>

/** The author and the encoded message that proves the signature. */
type Signer = { readonly author: Address; readonly wire: WireMessage }

/** The signed digest. For a proposal, the digest that its prepares contain. */
export const digestOf = ({ signed: { payload } }: OncePerRound): Hash =>
  'digest' in payload ? payload.digest : qbftSealHash(payload.block.header)

type Signatures = Pick<RoundState, 'round' | 'first'>

/** Past rounds whose first signatures are remembered. */
export const PAST_ROUNDS_MAX = 8

/**
 * Stores the first signature of each author and kind in a round. A second one for another digest is equivocation, which is
 * reported once for each first signature.
 */
export const noteSignature = <Of extends Signatures>(
  context: TransitionContext,
  round: Of,
  message: OncePerRound,
  { author, wire }: Signer,
): Of => {
  const digest = digestOf(message)
  const { sequence, round: of } = message.signed.payload
  assertInvariant(
    of === round.round,
    'evidence-of-round',
    () => `${message.kind} of round ${of} in round ${round.round}`,
  )
  const key = `${message.kind} ${keyOf(author)}`
  const before = round.first.get(key)
  if (before === undefined) return { ...round, first: new Map([...round.first, [key, { digest, wire }]]) }
  if (equalBytes(before.digest, digest) || before.wire.data.length === 0) return round
  emit(context, {
    kind: 'evidence',
    evidence: { author, sequence, round: round.round, first: before.wire, second: wire },
  })
  // The bytes are released: further signatures of this author in this round add no evidence.
  const reported: FirstSignature = {
    digest: before.digest,
    wire: { code: wire.code, data: new Uint8Array(0) },
  }
  return { ...round, first: new Map([...round.first, [key, reported]]) }
}

/** Keeps the signatures of the round that ends, for PAST_ROUNDS_MAX rounds. */
export const withPastSignatures = (
  { round, pastSignatures }: HeightState,
  next: number,
): HeightState['pastSignatures'] => {
  const all = round === undefined ? pastSignatures : new Map(pastSignatures).set(round.round, round.first)
  return new Map([...all].filter(([of]) => of >= next - PAST_ROUNDS_MAX))
}

/** As `noteSignature`, for a message of a past or decided round, which has no other use. */
export const noteLateSignature = (
  context: TransitionContext,
  height: HeightState,
  message: OncePerRound,
  signer: Signer,
): HeightState => {
  const { round: number } = message.signed.payload
  const { round, pastSignatures } = height
  if (round === undefined) return height
  if (number === round.round) return { ...height, round: noteSignature(context, round, message, signer) }
  if (number > round.round || number < round.round - PAST_ROUNDS_MAX) return height
  const before: Signatures = { round: number, first: pastSignatures.get(number) ?? new Map() }
  const { first } = noteSignature(context, before, message, signer)
  return { ...height, pastSignatures: new Map(pastSignatures).set(number, first) }
}
