import type { Steps } from '../steps.ts'
import { MISSING, type TrieRun } from './load.ts'
import { nibbleAt } from './nibbles.ts'
import type { Node, TrieNodeWrite } from './node.ts'
import { type TrieEntry, updateTrie } from './trie.ts'

/** Entries applied between two pauses: about a millisecond of new accounts. */
export const SLICE_ENTRIES = 256

/**
 * Where slices of sorted entries end: behind whole first nibbles, so that two slices have nothing below the root in common.
 * One slice where the root may change its shape, as it does when something is deleted.
 */
const sliceEnds = (root: Node | undefined, entries: readonly TrieEntry[]): readonly number[] => {
  const isWhole =
    entries.length <= SLICE_ENTRIES ||
    root?.kind !== 'branch' ||
    root.prefix.length > 0 ||
    entries.some(({ value }) => value === undefined)
  if (isWhole) return [entries.length]
  const ends: number[] = []
  let start = 0
  for (let at = SLICE_ENTRIES; at < entries.length; at++) {
    const [last, next] = [entries[at - 1] as TrieEntry, entries[at] as TrieEntry]
    if (at - start < SLICE_ENTRIES || nibbleAt(next.key, 0) === nibbleAt(last.key, 0)) continue
    ends.push(at)
    start = at
  }
  return [...ends, entries.length]
}

/** What `updateTrie` does, with a pause after each slice of many entries; the writes are the same but for their order. */
export function* updateInSlices(
  run: TrieRun,
  root: Node | undefined,
  entries: readonly TrieEntry[],
): Steps<Node | undefined | typeof MISSING> {
  const ends = sliceEnds(root, entries)
  if (ends.length === 1) return updateTrie(run, root, entries)
  let node = root
  let start = 0
  let isMissing = false
  let rootWrite: TrieNodeWrite | undefined
  for (const end of ends) {
    const next = updateTrie(run, node, entries.slice(start, end))
    // The other slices tell what else must be loaded.
    if (next === MISSING) isMissing = true
    else if (next !== node) {
      node = next
      // The root's record comes last and is written once.
      rootWrite = run.writes?.pop()
    }
    start = end
    yield
  }
  if (rootWrite !== undefined) run.writes?.push(rootWrite)
  return isMissing ? MISSING : node
}
