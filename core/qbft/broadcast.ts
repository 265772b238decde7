import { encodeMessage } from './codec/message.ts'
import { noteSignature, type OncePerRound } from './evidence.ts'
import type { QbftMessage, WireMessage } from './message.ts'
import type { HeightState } from './state.ts'
import { ask, others, type Turn } from './turn.ts'

/** Sends an own message to the other validators and gives its bytes. */
export const broadcast = (turn: Turn, { head }: HeightState, message: QbftMessage): WireMessage => {
  const wire = encodeMessage(message, turn.environment.dialect)
  const to = others(turn, head.validators)
  if (to.length > 0) ask(turn, { kind: 'broadcast', message: wire, to })
  return wire
}

/** The same for what is sent once in a round; kept for validators that connect while it lasts. */
export const broadcastInRound = (turn: Turn, height: HeightState, message: OncePerRound): HeightState => {
  const wire = broadcast(turn, height, message)
  const { round } = height
  const author = turn.environment.address
  return {
    ...height,
    ownMessages: [...height.ownMessages, wire],
    round: round === undefined ? undefined : noteSignature(turn, round, message, { author, wire }),
  }
}
