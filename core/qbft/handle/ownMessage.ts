import type { Steps } from '../../steps.ts'
import { decodeMessageSteps } from '../codec/message.ts'
import { digestOf, noteLateSignature, type OncePerRound } from '../actions/evidence.ts'
import type { QbftMessage, RoundChangeMessage } from '../message.ts'
import { rememberRound, rememberSignature, type SignedKind } from '../actions/signing.ts'
import type { HeightState } from '../state.ts'
import { drop, type TransitionContext } from '../transitionContext.ts'
import { decodedSteps } from './decoded.ts'
import type { From } from './from.ts'
import { readValidRoundChange } from './roundChange.ts'

const SIGNED_KINDS: Readonly<Record<OncePerRound['kind'], SignedKind>> = {
  proposal: 'proposed',
  prepare: 'prepared',
  commit: 'committed',
}

/** Records a round change of this validator, and the certificate in it on which this validator was locked. */
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
 * Handles a message with this validator's signature that another node sent: an echo, a message from before a restart, or a
 * message of a second node with the same key. It does not count as a vote, but this validator must not contradict it; a
 * contradiction is evidence.
 */
export function* handleOwnMessage(
  context: TransitionContext,
  height: HeightState,
  kind: QbftMessage['kind'],
  from: From,
): Steps<HeightState> {
  drop(context, 'duplicate', from, `own ${kind}`)
  if (kind === 'round-change') {
    const message = yield* readValidRoundChange(context, height, from)
    return message === undefined ? height : rememberRoundChange(height, message)
  }
  const message = yield* decodedSteps(context, from, decodeMessageSteps(from.wire.code, from.wire.data))
  if (message === undefined || message.kind === 'round-change') return height
  const { round } = message.signed.payload
  const bound = rememberSignature(height, round, SIGNED_KINDS[message.kind], digestOf(message))
  return noteLateSignature(context, bound, message, from)
}
