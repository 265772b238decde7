import { type Address, equalBytes, type Hash } from '../bytes/bytes.ts'
import { qbftSealHash } from '../chain/codec/blockHash.ts'
import type { QbftMessage, WireMessage } from './message.ts'
import type { FirstSignature, RoundState } from './state.ts'
import { ask, keyOf, type Turn } from './turn.ts'

/** A message of which an honest validator signs one in a round. */
export type OncePerRound = Exclude<QbftMessage, { readonly kind: 'round-change' }>

/** Who signed it, and the bytes that prove it. */
type Signer = { readonly author: Address; readonly wire: WireMessage }

/** What it was signed for. A proposal's is the digest that prepares of it name. */
export const digestOf = ({ signed: { payload } }: OncePerRound): Hash =>
  'digest' in payload ? payload.digest : qbftSealHash(payload.block.header)

/**
 * Remembers the first signature of each author and kind in a round; one for something else is equivocation, which is
 * reported once for each first signature.
 */
export const noteSignature = (
  turn: Turn,
  round: RoundState,
  message: OncePerRound,
  { author, wire }: Signer,
): RoundState => {
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
