import { type Address, equalBytes, type Hash } from '../bytes/bytes.ts'
import { qbftSealHash } from '../chain/codec/blockHash.ts'
import type { QbftMessage, WireMessage } from './message.ts'
import type { FirstSignature, HeightState, RoundState } from './state.ts'
import { ask, keyOf, type Turn } from './turn.ts'

/** A message of which an honest validator signs one in a round. */
export type OncePerRound = Exclude<QbftMessage, { readonly kind: 'round-change' }>

/** Who signed it, and the bytes that prove it. */
type Signer = { readonly author: Address; readonly wire: WireMessage }

/** What it was signed for. A proposal's is the digest that prepares of it name. */
export const digestOf = ({ signed: { payload } }: OncePerRound): Hash =>
  'digest' in payload ? payload.digest : qbftSealHash(payload.block.header)

type Signatures = Pick<RoundState, 'round' | 'first'>

/** Rounds below the current one of which first signatures are remembered. */
export const PAST_ROUNDS_MAX = 8

/**
 * Remembers the first signature of each author and kind in a round; one for something else is equivocation, which is
 * reported once for each first signature.
 */
export const noteSignature = <Of extends Signatures>(
  turn: Turn,
  round: Of,
  message: OncePerRound,
  { author, wire }: Signer,
): Of => {
  const digest = digestOf(message)
  const { sequence } = message.signed.payload
  const key = `${message.kind} ${keyOf(author)}`
  const before = round.first.get(key)
  if (before === undefined) return { ...round, first: new Map([...round.first, [key, { digest, wire }]]) }
  if (equalBytes(before.digest, digest) || before.wire.data.length === 0) return round
  ask(turn, {
    kind: 'evidence',
    evidence: { author, sequence, round: round.round, first: before.wire, second: wire },
  })
  // The bytes are let go: what follows from this author in this round tells nothing new.
  const told: FirstSignature = { digest: before.digest, wire: { code: wire.code, data: new Uint8Array(0) } }
  return { ...round, first: new Map([...round.first, [key, told]]) }
}

/** The signatures of the round that ends stay, until it lies too far back. */
export const withPastSignatures = (
  { round, pastSignatures }: HeightState,
  next: number,
): HeightState['pastSignatures'] => {
  const all = round === undefined ? pastSignatures : new Map(pastSignatures).set(round.round, round.first)
  return new Map([...all].filter(([of]) => of >= next - PAST_ROUNDS_MAX))
}

/** The same as `noteSignature` of a message that comes too late to be used: of a past round, or of one that is decided. */
export const noteLateSignature = (
  turn: Turn,
  height: HeightState,
  message: OncePerRound,
  signer: Signer,
): HeightState => {
  const { round: number } = message.signed.payload
  const { round, pastSignatures } = height
  if (round === undefined) return height
  if (number === round.round) return { ...height, round: noteSignature(turn, round, message, signer) }
  if (number > round.round || number < round.round - PAST_ROUNDS_MAX) return height
  const before: Signatures = { round: number, first: pastSignatures.get(number) ?? new Map() }
  const { first } = noteSignature(turn, before, message, signer)
  return { ...height, pastSignatures: new Map(pastSignatures).set(number, first) }
}
