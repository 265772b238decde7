import type { Steps } from '../../steps.ts'
import { MISSING, recordKey, type TrieRun } from '../nodes/load.ts'
import type { Node, TrieNodeWrite } from '../nodes/node.ts'
import { type TrieEntry, updateTrie } from '../trie.ts'

/** Entries applied between two pauses: new accounts take about a millisecond, somewhat more on a busy machine. */
export const SLICE_ENTRIES = 128

/** Writes processed between two pauses: a millisecond. */
const WRITES_AT_ONCE = 4096

/** False when the root may change its shape, for example by a deletion. */
const keepsShape = (root: Node | undefined, entries: readonly TrieEntry[]): boolean =>
  root?.kind === 'branch' && root.prefix.length === 0 && !entries.some(({ value }) => value === undefined)

/**
 * Ends of the slices of sorted entries. Entries with the same first byte of the key are in one slice, so that two slices
 * share only the root and its children.
 */
const sliceEnds = (entries: readonly TrieEntry[]): readonly number[] => {
  const ends: number[] = []
  let start = 0
  for (let at = SLICE_ENTRIES; at < entries.length; at++) {
    if (at - start < SLICE_ENTRIES || entries[at]?.key[0] === entries[at - 1]?.key[0]) continue
    ends.push(at)
    start = at
  }
  return [...ends, entries.length]
}

/** Moves the last writes of the run, records that the next slice may write again, to `shared`. */
const takeShared = (run: TrieRun, from: number, shared: Map<string, TrieNodeWrite>): void => {
  const { writes, keyPrefix } = run
  if (writes === undefined) return
  const longest = recordKey(keyPrefix, '0').length
  let first = writes.length
  while (first > from && (writes[first - 1] as TrieNodeWrite).key.length <= longest) first--
  for (const write of writes.splice(first)) {
    shared.delete(write.key)
    shared.set(write.key, write)
  }
}

/** Applies slices one after the other, as if each were a block; of a record written several times the last write counts. */
function* updateOneByOne(
  run: TrieRun,
  root: Node | undefined,
  entries: readonly TrieEntry[],
): Steps<Node | undefined | typeof MISSING> {
  const writes: TrieNodeWrite[] | undefined = run.writes === undefined ? undefined : []
  const sliced = { ...run, writes }
  let node = root
  let isMissing = false
  for (let start = 0; start < entries.length; start += SLICE_ENTRIES) {
    const next = updateTrie(sliced, node, entries.slice(start, start + SLICE_ENTRIES))
    // The other slices name what else must be loaded.
    if (next === MISSING) isMissing = true
    else node = next
    yield
  }
  run.branches = sliced.branches
  const last = new Map<string, TrieNodeWrite>()
  for (const [index, write] of (writes ?? []).entries()) {
    last.delete(write.key)
    last.set(write.key, write)
    if (index % WRITES_AT_ONCE === WRITES_AT_ONCE - 1) yield
  }
  for (const write of last.values()) run.writes?.push(write)
  return isMissing ? MISSING : node
}

/** As `updateTrie`, but yields after each slice of entries; the writes differ only in their order. */
export function* updateInSlices(
  run: TrieRun,
  root: Node | undefined,
  entries: readonly TrieEntry[],
): Steps<Node | undefined | typeof MISSING> {
  if (entries.length <= SLICE_ENTRIES) return updateTrie(run, root, entries)
  if (!keepsShape(root, entries)) return yield* updateOneByOne(run, root, entries)
  const ends = sliceEnds(entries)
  if (ends.length === 1) return updateTrie(run, root, entries)
  const shared = new Map<string, TrieNodeWrite>()
  let node = root
  let start = 0
  let isMissing = false
  for (const end of ends) {
    const written = run.writes?.length ?? 0
    const next = updateTrie(run, node, entries.slice(start, end))
    // The other slices name what else must be loaded.
    if (next === MISSING) isMissing = true
    else {
      node = next
      takeShared(run, written, shared)
    }
    start = end
    yield
  }
  run.writes?.push(...shared.values())
  return isMissing ? MISSING : node
}
