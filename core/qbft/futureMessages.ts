import type { Address } from '../bytes/bytes.ts'
import { equalBytes } from '../bytes/bytes.ts'
import { toBareHex } from '../bytes/hex.ts'
import type { DropReason } from './effect.ts'
import type { WireMessage } from './message.ts'

/** A message of a validator for a height that has not begun. */
export type FutureMessage = {
  readonly sequence: bigint
  readonly author: Address
  readonly peer: Address
  readonly wire: WireMessage
}

/** In the order they came. */
export type FutureMessages = readonly FutureMessage[]

export type FutureLimits = {
  /** Messages in all; 0 keeps none. */
  readonly messagesMax: number
  /** Heights above the current one. */
  readonly distanceMax: number
}

/** Of one author for one height: a proposal, a prepare, a commit and a round change for two rounds, no more before it begins. */
export const FUTURE_PER_AUTHOR_MAX = 8

/** Proposals and round changes carry whole blocks; a height that is about to begin needs a few of them. */
export const FUTURE_BYTES_MAX = 32 * 1024 * 1024

export const emptyFutureMessages: FutureMessages = []

const bytesOf = (messages: FutureMessages): number =>
  messages.reduce((sum, { wire }) => sum + wire.data.length, 0)

const highest = (messages: FutureMessages): bigint =>
  messages.reduce((max, { sequence }) => (sequence > max ? sequence : max), 0n)

/** Over the limit the highest height goes as a whole, the oldest message where there is only one height (Besu's rule). */
const evict = (messages: FutureMessages): FutureMessages => {
  const top = highest(messages)
  const below = messages.filter(({ sequence }) => sequence < top)
  return below.length > 0 ? below : messages.slice(1)
}

/** Why a message for a later height is not kept, whatever else is; undefined when it may be. */
export const refusedFuture = (
  messages: FutureMessages,
  message: FutureMessage,
  current: bigint,
  { messagesMax, distanceMax }: FutureLimits,
): DropReason | undefined => {
  if (message.sequence > current + BigInt(distanceMax)) return 'far-future-height'
  if (messagesMax === 0 || message.wire.data.length > FUTURE_BYTES_MAX) return 'over-buffer-limit'
  const ofAuthor = messages.filter(
    other => other.sequence === message.sequence && equalBytes(other.author, message.author),
  )
  return ofAuthor.length >= FUTURE_PER_AUTHOR_MAX ? 'over-author-limit' : undefined
}

/** Whose messages have the most bytes loses the newest of its highest height: who sends much crowds out itself. */
const evictLargest = (messages: FutureMessages): FutureMessages => {
  const bytes = new Map<string, number>()
  for (const { author, wire } of messages)
    bytes.set(toBareHex(author), (bytes.get(toBareHex(author)) ?? 0) + wire.data.length)
  const [largest] = [...bytes].reduce((most, entry) => (entry[1] > most[1] ? entry : most))
  const own = messages.filter(({ author }) => toBareHex(author) === largest)
  const top = highest(own)
  const last = own.findLast(({ sequence }) => sequence === top)
  return messages.filter(message => message !== last)
}

/** With one more message that `refusedFuture` has nothing against; what exceeds the limits is evicted. */
export const keepFuture = (
  messages: FutureMessages,
  message: FutureMessage,
  { messagesMax }: FutureLimits,
): FutureMessages => {
  let kept: FutureMessages = [...messages, message]
  while (kept.length > messagesMax) kept = evict(kept)
  while (bytesOf(kept) > FUTURE_BYTES_MAX) kept = evictLargest(kept)
  return kept
}

/** The messages for a height that begins, and what is left: those of later heights. */
export const takeFuture = (
  messages: FutureMessages,
  sequence: bigint,
): { readonly taken: FutureMessages; readonly left: FutureMessages } => ({
  taken: messages.filter(message => message.sequence === sequence),
  left: messages.filter(message => message.sequence > sequence),
})
