/** Hashes of messages that were received, oldest first. */
export type SeenMessages = ReadonlySet<string>

export const emptySeenMessages: SeenMessages = new Set()

/** With one more; the oldest goes when there are more than `max`. */
export const withSeen = (seen: SeenMessages, hash: string, max: number): SeenMessages => {
  const next = new Set(seen)
  next.add(hash)
  for (const oldest of next) {
    if (next.size <= max) break
    next.delete(oldest)
  }
  return next
}
