import { noteSignature } from '../evidence.ts'
import type { QbftMessage } from '../message.ts'
import { currentRound } from '../rounds.ts'
import type { HeightState } from '../state.ts'
import { drop, type Turn } from '../turn.ts'
import type { From } from './from.ts'

/**
 * A message with the own signature from somebody else: one's own coming back, or a second node with the same key, which
 * shows by a signature this node did not give. Never counted.
 */
export const handleOwnEcho = (
  turn: Turn,
  height: HeightState,
  message: QbftMessage,
  from: From,
): HeightState => {
  drop(turn, 'duplicate', from, `own ${message.kind}`)
  const { round } = height
  if (message.kind === 'round-change' || round === undefined) return height
  if (message.signed.payload.round !== currentRound(height)) return height
  return { ...height, round: noteSignature(turn, round, message, from) }
}
