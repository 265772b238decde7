import { evictOldest } from '../collections/boundedMap.ts'
import type { AddressKey } from './state.ts'

/**
 * Hashes of received messages, oldest first, separately for each validator: a flood of one validator must not evict the
 * hashes of others, because their messages would be forwarded again.
 */
export type SeenMessages = ReadonlyMap<AddressKey, ReadonlySet<string>>

export const emptySeenMessages: SeenMessages = new Map()

/** Key for messages whose author is not a validator. */
export const UNKNOWN_AUTHOR: AddressKey = ''

export const wasSeen = (seen: SeenMessages, hash: string): boolean => {
  for (const hashes of seen.values()) if (hashes.has(hash)) return true
  return false
}

/** Adds a hash; removes the author's oldest beyond `max`. */
export const withSeen = (seen: SeenMessages, author: AddressKey, hash: string, max: number): SeenMessages => {
  const hashes = new Set(seen.get(author))
  hashes.add(hash)
  evictOldest(hashes, max)
  return new Map(seen).set(author, hashes)
}

/** Removes the hashes of addresses that are no longer validators. */
export const seenOf = (seen: SeenMessages, validators: ReadonlySet<AddressKey>): SeenMessages =>
  new Map([...seen].filter(([author]) => author === UNKNOWN_AUTHOR || validators.has(author)))
