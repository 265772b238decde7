import { equalBytes } from '../bytes/bytes.ts'
import { MESSAGE_BYTES_MAX } from './codec/message.ts'
import type { From } from './handle/from.ts'
import type { HeightState } from './state.ts'
import { keyOf } from './turn.ts'

/**
 * Messages of one validator that are looked into while this one is in one round. An honest one sends four in a round and
 * may go through several meanwhile; the rest is used when the round is over, if it is sent again.
 */
export const SHARE_MESSAGES_MAX = 64
/** Bytes of them: a proposal or a round change with a block of the greatest size, and another one of half of it. */
export const SHARE_BYTES_MAX = 1.5 * MESSAGE_BYTES_MAX

/** What came of one peer since the round began. */
export type Share = { readonly messages: number; readonly bytes: number }

/**
 * Whose share a message is taken from: what a peer brings of others is its own doing, so that nobody uses up another's by
 * playing back. It may bring what each of the others may send.
 */
const shareOf = (
  { author, peer }: From,
  validators: number,
): { readonly key: string; readonly times: number } =>
  equalBytes(author, peer) ? { key: keyOf(peer), times: 1 } : { key: `${keyOf(peer)}+`, times: validators }

/** The height with the message counted; undefined when its peer has used up its share of the round. */
export const withinShare = (height: HeightState, from: From): HeightState | undefined => {
  const { key, times } = shareOf(from, height.head.validators.length)
  const { messages, bytes } = height.shares.get(key) ?? { messages: 0, bytes: 0 }
  const next = { messages: messages + 1, bytes: bytes + from.wire.data.length }
  if (next.messages > times * SHARE_MESSAGES_MAX || next.bytes > times * SHARE_BYTES_MAX) return undefined
  return { ...height, shares: new Map(height.shares).set(key, next) }
}
