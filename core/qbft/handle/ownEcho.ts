import type { Steps } from '../../steps.ts'
import { decodeMessageSteps } from '../codec/message.ts'
import { noteSignature } from '../evidence.ts'
import type { QbftMessage } from '../message.ts'
import { currentRound } from '../rounds.ts'
import type { HeightState } from '../state.ts'
import { drop, type Turn } from '../turn.ts'
import { decodedSteps } from './decoded.ts'
import type { From } from './from.ts'

/**
 * A message with the own signature from somebody else: one's own coming back, or a second node with the same key, which
 * shows by a signature this node did not give. Never counted.
 */
export function* handleOwnEcho(
  turn: Turn,
  height: HeightState,
  kind: QbftMessage['kind'],
  from: From,
): Steps<HeightState> {
  drop(turn, 'duplicate', from, `own ${kind}`)
  const { round } = height
  if (kind === 'round-change' || round === undefined) return height
  const message = yield* decodedSteps(turn, from, decodeMessageSteps(from.wire.code, from.wire.data))
  if (message === undefined || message.kind === 'round-change') return height
  if (message.signed.payload.round !== currentRound(height)) return height
  return { ...height, round: noteSignature(turn, round, message, from) }
}
