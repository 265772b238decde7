import type { Address } from '../../bytes/bytes.ts'
import { includesAddress } from '../../validators/votes.ts'
import type { HeightState } from '../state.ts'
import { ask, type Turn } from '../turn.ts'

/** A validator's node that connects has missed what was sent before: it gets this validator's messages of the round. */
export const handleConnected = (turn: Turn, height: HeightState, peer: Address): HeightState => {
  if (!includesAddress(height.head.validators, peer)) return height
  const { ownMessages, ownRoundChange } = height
  const messages = ownRoundChange === undefined ? ownMessages : [ownRoundChange, ...ownMessages]
  for (const message of messages) ask(turn, { kind: 'send', message, to: peer })
  return height
}
