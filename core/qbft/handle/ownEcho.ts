import type { Steps } from '../../steps.ts'
import { decodeMessageSteps } from '../codec/message.ts'
import { digestOf, noteLateSignature, type OncePerRound } from '../evidence.ts'
import type { QbftMessage, RoundChangeMessage } from '../message.ts'
import { rememberRound, rememberSignature, type SignedKind } from '../own.ts'
import type { HeightState } from '../state.ts'
import { drop, type Turn } from '../turn.ts'
import { decodedSteps } from './decoded.ts'
import type { From } from './from.ts'
import { readValidRoundChange } from './roundChange.ts'

const KINDS: Readonly<Record<OncePerRound['kind'], SignedKind>> = {
  proposal: 'proposed',
  prepare: 'prepared',
  commit: 'committed',
}

/** A round change also tells the certificate that this validator was locked on. */
const rememberRoundChange = (
  height: HeightState,
  { signed, block, prepares }: RoundChangeMessage,
): HeightState => {
  const { round, prepared } = signed.payload
  const next = rememberRound(height, round)
  const isHigher = prepared !== undefined && prepared.round > (height.certificate?.round ?? -1)
  if (block === undefined || !isHigher) return next
  return { ...next, hasForgotten: true, certificate: { block, ...prepared, prepares } }
}

/**
 * A message with the own signature from somebody else: one's own coming back, signed in an earlier life perhaps, or a second
 * node with the same key. It never counts, but binds this validator; what contradicts it is evidence.
 */
export function* handleOwnEcho(
  turn: Turn,
  height: HeightState,
  kind: QbftMessage['kind'],
  from: From,
): Steps<HeightState> {
  drop(turn, 'duplicate', from, `own ${kind}`)
  if (kind === 'round-change') {
    const message = yield* readValidRoundChange(turn, height, from)
    return message === undefined ? height : rememberRoundChange(height, message)
  }
  const message = yield* decodedSteps(turn, from, decodeMessageSteps(from.wire.code, from.wire.data))
  if (message === undefined || message.kind === 'round-change') return height
  const { round } = message.signed.payload
  const bound = rememberSignature(height, round, KINDS[message.kind], digestOf(message))
  return noteLateSignature(turn, bound, message, from)
}
