import { encodeMessage } from '../codec/message.ts'
import { noteSignature, type OncePerRound } from './evidence.ts'
import type { QbftMessage, WireMessage } from '../message.ts'
import type { HeightState } from '../state.ts'
import { emit, others, type TransitionContext } from '../transitionContext.ts'

/** Sends a message of this validator to the other validators and returns its encoding. */
export const broadcast = (
  context: TransitionContext,
  { head }: HeightState,
  message: QbftMessage,
): WireMessage => {
  const wire = encodeMessage(message, context.environment.dialect)
  const to = others(context, head.validators)
  if (to.length > 0) emit(context, { kind: 'broadcast', message: wire, to })
  return wire
}

/** As `broadcast`, for messages sent once in a round. Keeps the message for validators that connect during the round. */
export const broadcastInRound = (
  context: TransitionContext,
  height: HeightState,
  message: OncePerRound,
): HeightState => {
  const wire = broadcast(context, height, message)
  const { round } = height
  const author = context.environment.address
  return {
    ...height,
    ownMessages: [...height.ownMessages, wire],
    round: round === undefined ? undefined : noteSignature(context, round, message, { author, wire }),
  }
}
