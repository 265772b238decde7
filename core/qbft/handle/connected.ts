import type { Address } from '../../bytes/bytes.ts'
import { includesAddress } from '../../validators/votes.ts'
import type { HeightState } from '../state.ts'
import { emit, type TransitionContext } from '../transitionContext.ts'

/** Sends this validator's messages of the round to a validator that connects. */
export const handleConnected = (
  context: TransitionContext,
  height: HeightState,
  peer: Address,
): HeightState => {
  if (!includesAddress(height.head.validators, peer)) return height
  const { ownMessages, ownRoundChange } = height
  const messages = ownRoundChange === undefined ? ownMessages : [ownRoundChange, ...ownMessages]
  for (const message of messages) emit(context, { kind: 'send', message, to: peer })
  return height
}
