import type { Address } from '../bytes/bytes.ts'
import { equalBytes } from '../bytes/bytes.ts'
import { toBareHex } from '../bytes/hex.ts'
import type { DropReason } from './effect.ts'
import type { WireMessage } from './message.ts'

/** A message of a validator for a later height. */
export type FutureMessage = {
  readonly sequence: bigint
  readonly author: Address
  readonly peer: Address
  readonly wire: WireMessage
}

/** In order of arrival. */
export type FutureMessages = readonly FutureMessage[]

type FutureLimits = {
  /** Total number of messages; 0 keeps none. */
  readonly messagesMax: number
  /** Largest distance above the current height. */
  readonly distanceMax: number
}

/** Messages of one author for one height: proposal, prepare, commit and round change of two rounds. */
export const FUTURE_PER_AUTHOR_MAX = 8

/** Total bytes. Proposals and round changes carry whole blocks, and the next height needs a few of them. */
export const FUTURE_BYTES_MAX = 32 * 1024 * 1024

export const emptyFutureMessages: FutureMessages = []

const bytesOf = (messages: FutureMessages): number =>
  messages.reduce((sum, { wire }) => sum + wire.data.length, 0)

const highest = (messages: FutureMessages): bigint =>
  messages.reduce((max, { sequence }) => (sequence > max ? sequence : max), 0n)

/**
 * Over the limit, all messages of the highest height are removed; the oldest message if there is only one height (as in
 * Besu).
 */
const evict = (messages: FutureMessages): FutureMessages => {
  const top = highest(messages)
  const below = messages.filter(({ sequence }) => sequence < top)
  return below.length > 0 ? below : messages.slice(1)
}

/** The reason to refuse a message for a later height, before the total limits apply; undefined when it is accepted. */
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

/**
 * Removes the newest message of the highest height of the author with the most bytes, so that an author that sends many
 * bytes only evicts its own messages.
 */
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

/** Adds a message that `refusedFuture` accepted and evicts messages beyond the limits. */
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

/** The messages for a height that starts, and the remaining messages of later heights. */
export const takeFuture = (
  messages: FutureMessages,
  sequence: bigint,
): { readonly taken: FutureMessages; readonly left: FutureMessages } => ({
  taken: messages.filter(message => message.sequence === sequence),
  left: messages.filter(message => message.sequence > sequence),
})
