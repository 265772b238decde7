import type { AddressKey } from './state.ts'

/**
 * Hashes of messages that were received, oldest first, of each validator by itself: one that floods makes nobody forget
 * what the others said, and be made to pass it on again.
 */
export type SeenMessages = ReadonlyMap<AddressKey, ReadonlySet<string>>

export const emptySeenMessages: SeenMessages = new Map()

/** Whose messages are of no validator. */
export const NOBODY: AddressKey = ''

export const wasSeen = (seen: SeenMessages, hash: string): boolean => {
  for (const hashes of seen.values()) if (hashes.has(hash)) return true
  return false
}

/** With one more; the author's oldest goes when there are more than `max` of it. */
export const withSeen = (seen: SeenMessages, author: AddressKey, hash: string, max: number): SeenMessages => {
  const hashes = new Set(seen.get(author))
  hashes.add(hash)
  for (const oldest of hashes) {
    if (hashes.size <= max) break
    hashes.delete(oldest)
  }
  return new Map(seen).set(author, hashes)
}

/** Without those of who is no validator any more. */
export const seenOf = (seen: SeenMessages, validators: ReadonlySet<AddressKey>): SeenMessages =>
  new Map([...seen].filter(([author]) => author === NOBODY || validators.has(author)))
