import { PermissionError, type PermissionErrorCode } from './error.ts'

/** The rules for entries of a list, with Besu's error codes. */
export type EntryRules = {
  readonly empty: PermissionErrorCode
  readonly invalid: PermissionErrorCode
  readonly duplicate: PermissionErrorCode
  readonly existing: PermissionErrorCode
  readonly absent: PermissionErrorCode
  /** The entry as it is kept, undefined for an invalid one. */
  readonly normalized: (entry: string) => string | undefined
  /** True for an entry that must stay in the list. */
  readonly isFixed: (entry: string) => boolean
}

/** A list of accounts or of nodes that changes while the node runs. */
export type Allowlist = {
  readonly list: () => readonly string[]
  readonly has: (entry: string) => boolean
  /** @throws PermissionError */
  add(entries: readonly string[]): void
  /** @throws PermissionError */
  remove(entries: readonly string[]): void
  /** Replaces the list by what the file holds. */
  replace(entries: readonly string[]): void
}

const refuse = (code: PermissionErrorCode, detail: string): never => {
  throw new PermissionError(code, detail)
}

const checked = (rules: EntryRules, entries: readonly string[]): readonly string[] => {
  if (entries.length === 0) refuse(rules.empty, 'the list is empty')
  const normalized = entries.map(
    entry => rules.normalized(entry) ?? refuse(rules.invalid, `${entry.slice(0, 200)} is invalid`),
  )
  if (new Set(normalized).size < normalized.length) refuse(rules.duplicate, 'an entry is duplicated')
  return normalized
}

/**
 * @param persist writes the changed list and reads it back. @throws when it cannot be written: the change is reverted
 * @param onChange called after each change
 */
export const createAllowlist = (
  initial: readonly string[],
  rules: EntryRules,
  persist: (list: readonly string[]) => void,
  onChange: () => void,
): Allowlist => {
  const normalizedSet = (entries: readonly string[]): Set<string> =>
    new Set(entries.map(entry => rules.normalized(entry) ?? entry))
  let entries = normalizedSet(initial)

  const change = (next: Set<string>): void => {
    const before = entries
    entries = next
    try {
      persist([...next])
    } catch (cause) {
      // The file holds something else: the change stays, as in Besu.
      if (!(cause instanceof PermissionError)) entries = before
      if (cause instanceof PermissionError) onChange()
      throw cause instanceof PermissionError
        ? cause
        : new PermissionError('NOT_PERSISTED', 'the file could not be written', { cause })
    }
    onChange()
  }

  return {
    list: () => [...entries],
    has: entry => entries.has(entry),
    add: given => {
      const added = checked(rules, given)
      if (added.some(entry => entries.has(entry))) refuse(rules.existing, 'an entry is in the list')
      change(new Set([...entries, ...added]))
    },
    remove: given => {
      const removed = new Set(checked(rules, given))
      if ([...removed].some(rules.isFixed))
        refuse('FIXED_NODE', 'a bootnode or static node stays in the list')
      if ([...removed].some(entry => !entries.has(entry))) refuse(rules.absent, 'an entry is not in the list')
      change(new Set([...entries].filter(entry => !removed.has(entry))))
    },
    replace: given => {
      entries = normalizedSet(given)
      onChange()
    },
  }
}
