import { equalBytes } from '../bytes/bytes.ts'
import { QBFT_MESSAGE_BYTES_MAX } from './codec/message.ts'
import type { From } from './handle/from.ts'
import type { HeightState } from './state.ts'
import { keyOf } from './transitionContext.ts'

/**
 * Messages of one validator that are processed in one round. An honest validator sends four in a round, and may pass
 * several rounds during one round of this validator. Further messages count in the next round if they are sent again.
 */
export const PEER_MESSAGES_MAX = 64
/** Bytes of these messages: a proposal or round change with a block of maximum size, and another of half that size. */
const PEER_BYTES_MAX = 1.5 * QBFT_MESSAGE_BYTES_MAX

/** Messages and bytes that one peer has sent since the round started. */
export type PeerBudget = { readonly messages: number; readonly bytes: number }

/**
 * The budget that a message is charged to. Forwarded messages are charged to the forwarding peer, so that a peer cannot
 * exhaust the budget of others by replaying their messages. A peer may forward as much as all other validators may send.
 */
const budgetOf = (
  { author, peer }: From,
  validators: number,
): { readonly key: string; readonly times: number } =>
  equalBytes(author, peer) ? { key: keyOf(peer), times: 1 } : { key: `${keyOf(peer)}+`, times: validators }

/** Returns the height with the message counted; undefined when its peer has exceeded its budget of the round. */
export const chargePeerBudget = (height: HeightState, from: From): HeightState | undefined => {
  const { key, times } = budgetOf(from, height.head.validators.length)
  const { messages, bytes } = height.peerBudgets.get(key) ?? { messages: 0, bytes: 0 }
  const next = { messages: messages + 1, bytes: bytes + from.wire.data.length }
  if (next.messages > times * PEER_MESSAGES_MAX || next.bytes > times * PEER_BYTES_MAX) return undefined
  return { ...height, peerBudgets: new Map(height.peerBudgets).set(key, next) }
}
