import { compareBytes, EMPTY_BYTES, equalBytes } from '../bytes/bytes.ts'
import { childOf, MISSING, recordKey, type TrieRun } from './nodes/load.ts'
import { leafOf } from './nodes/leaf.ts'
import { followedNibbles, HEX_DIGITS, nibbleAt, nibblesOf, pathOf, sharedNibbles } from './nodes/nibbles.ts'
import { type Branch, type Child, INSIDE, type Leaf, type Node } from './nodes/node.ts'
import { hasOtherValue } from './nodes/readRecord.ts'
import { branchOf, hasRecord, KEY_BYTES_MAX, recordOf, withPrefix } from './nodes/record.ts'

/** A key to set, or to delete when the value is undefined. Values are not empty. */
export type TrieEntry = {
  readonly key: Uint8Array
  readonly value: Uint8Array | undefined
  /** See `Leaf.reference`. */
  readonly reference?: Uint8Array | undefined
}

type Result = Node | undefined | typeof MISSING

/**
 * Returns the trie with all entries applied; `root` is unchanged. Entries have distinct keys and are sorted by them. Every
 * new, changed or removed record is added to the run's `writes`, if it has any. Returns MISSING when the run's `missing`
 * names records that must be loaded first.
 * @throws TrieCorruption when a record on a path differs from what its parent refers to.
 */
export const updateTrie = (run: TrieRun, root: Node | undefined, entries: readonly TrieEntry[]): Result => {
  for (const { key } of entries)
    if (key.length > KEY_BYTES_MAX)
      throw new RangeError(`a trie key of ${key.length} bytes is longer than ${KEY_BYTES_MAX}`)
  if (entries.length === 0) return root
  const next = apply(run, root, 0, entries, 0, entries.length)
  if (next !== root && next !== MISSING)
    run.writes?.push({
      key: recordKey(run.keyPrefix, ''),
      value: next === undefined ? undefined : recordOf(next),
    })
  return next
}

/** Applies entries `from` to `to`, all of which pass through `node`, which starts at nibble `depth`. */
const apply = (
  run: TrieRun,
  node: Node | undefined,
  depth: number,
  entries: readonly TrieEntry[],
  from: number,
  to: number,
): Result => {
  if (node === undefined) return build(run, depth, entries, from, to)
  if (node.kind === 'leaf') return applyToLeaf(run, node, depth, entries, from, to)
  const { prefix } = node
  if (prefix.length > 0 && followedByBoth(entries, from, to, depth, prefix) < prefix.length)
    return split(run, node, depth, entries.slice(from, to))
  return fill(run, depth, prefix, node, node.children.slice(), 0, entries, from, to)
}

/** Builds a subtree that holds only the entries. */
const build = (
  run: TrieRun,
  depth: number,
  entries: readonly TrieEntry[],
  from: number,
  to: number,
): Result => {
  let first = from
  let end = to
  while (first < end && entries[first]?.value === undefined) first++
  while (first < end && entries[end - 1]?.value === undefined) end--
  if (first === end) return undefined
  const { key, value, reference } = entries[first] as TrieEntry
  if (first + 1 === end) return leafOf(key, value as Uint8Array, reference)
  const shared = sharedNibbles(key, (entries[end - 1] as TrieEntry).key, depth)
  const prefix = shared === 0 ? EMPTY_BYTES : nibblesOf(key, depth, shared)
  return fill(run, depth, prefix, undefined, NO_CHILDREN.slice(), 0, entries, first, end)
}

const NO_CHILDREN: readonly Child[] = Array.from({ length: 16 }, () => undefined)

const applyToLeaf = (
  run: TrieRun,
  leaf: Leaf,
  depth: number,
  entries: readonly TrieEntry[],
  from: number,
  to: number,
): Result => {
  const { key, value } = entries[from] as TrieEntry
  if (to - from === 1 && equalBytes(key, leaf.key)) {
    if (value === undefined) return undefined
    return equalBytes(value, leaf.value) ? leaf : leafOf(leaf.key, value)
  }
  let at = from
  while (at < to && compareBytes((entries[at] as TrieEntry).key, leaf.key) < 0) at++
  if (at < to && equalBytes((entries[at] as TrieEntry).key, leaf.key))
    return build(run, depth, entries, from, to)
  const merged = [...entries.slice(from, at), leaf, ...entries.slice(at, to)]
  const built = build(run, depth, merged, 0, merged.length)
  return built !== undefined && built !== MISSING && built.kind === 'leaf' ? leaf : built
}

/** The number of nibbles of `prefix` that every key of a sorted range matches. */
const followedByBoth = (
  entries: readonly TrieEntry[],
  from: number,
  to: number,
  depth: number,
  prefix: Uint8Array,
): number =>
  Math.min(
    followedNibbles((entries[from] as TrieEntry).key, depth, prefix),
    followedNibbles((entries[to - 1] as TrieEntry).key, depth, prefix),
  )

/** Applies entries, some of which diverge within the extension. */
const split = (run: TrieRun, branch: Branch, depth: number, entries: readonly TrieEntry[]): Result => {
  const { prefix } = branch
  // Deleting an absent key must not split the extension.
  const live = entries.filter(
    entry => entry.value !== undefined || followedNibbles(entry.key, depth, prefix) === prefix.length,
  )
  if (live.length === 0) return branch
  const shared = followedByBoth(live, 0, live.length, depth, prefix)
  if (shared === prefix.length)
    return fill(run, depth, prefix, branch, branch.children.slice(), 0, live, 0, live.length)
  const nibble = prefix[shared] as number
  const children = NO_CHILDREN.slice()
  children[nibble] = withPrefix(branch, prefix.slice(shared + 1))
  return fill(run, depth, prefix.slice(0, shared), undefined, children, 1 << nibble, live, 0, live.length)
}

/** A branch without an encoding yet; its children are read and replaced in place. */
const newBranch = (prefix: Uint8Array, children: Child[]): Branch => ({
  kind: 'branch',
  prefix,
  children,
  value: undefined,
  bytes: EMPTY_BYTES,
  rlpStart: 0,
  rlpEnd: 0,
})

/** The number of children, and the index of the last one. */
const countChildren = (children: readonly Child[]): readonly [count: number, last: number] => {
  let count = 0
  let last = 0
  for (let i = 0; i < 16; i++)
    if (children[i] !== undefined) {
      count++
      last = i
    }
  return [count, last]
}

/**
 * The branch at the end of `prefix` with the entries applied to its children. `base` is the previous branch, undefined for
 * a new one; `children` are its children, changed in place; `moved` has one bit for each child that has already changed.
 */
const fill = (
  run: TrieRun,
  depth: number,
  prefix: Uint8Array,
  base: Branch | undefined,
  children: Child[],
  moved: number,
  entries: readonly TrieEntry[],
  from: number,
  to: number,
): Result => {
  const branchDepth = depth + prefix.length
  const pathKey = (entries[from] as TrieEntry).key
  const holder = base ?? newBranch(prefix, children)
  let value = base?.value
  let changed = moved
  let isMissing = false
  let at = from
  if (pathKey.length * 2 === branchDepth) value = (entries[at++] as TrieEntry).value
  while (at < to) {
    const nibble = nibbleAt((entries[at] as TrieEntry).key, branchDepth)
    let end = at + 1
    while (end < to && nibbleAt((entries[end] as TrieEntry).key, branchDepth) === nibble) end++
    const leaf =
      end === at + 1 ? replacement(holder, nibble, entries[at] as TrieEntry, branchDepth + 1) : undefined
    if (leaf !== undefined) {
      children[nibble] = leaf
      changed |= 1 << nibble
      at = end
      continue
    }
    const child = childOf(run, holder, nibble, pathKey, branchDepth + 1)
    const next = child === MISSING ? MISSING : apply(run, child, branchDepth + 1, entries, at, end)
    if (next === MISSING) isMissing = true
    else {
      children[nibble] = next
      if (next !== child) changed |= 1 << nibble
    }
    at = end
  }
  if (isMissing) return MISSING
  if (base !== undefined && changed === 0 && value === base.value) return base

  const [count, last] = countChildren(children)
  const only = count === 1 && value === undefined ? last : undefined
  let child: Result
  if (only !== undefined) {
    child =
      children[only] === base?.children[only]
        ? childOf(run, holder, only, pathKey, branchDepth + 1)
        : (children[only] as Node)
    if (child === MISSING) return MISSING
    changed |= 1 << only
  }
  writeChildren(run, base, children, changed, only, pathKey, branchDepth)
  if (only !== undefined) return replaceByChild(prefix, only, child as Node)
  if (count === 0) return value === undefined ? undefined : leafOf(pathKey.slice(0, branchDepth >> 1), value)
  if (base === undefined) run.branches++
  const stored = run.writes !== undefined
  const branch = branchOf(stored, prefix, base, children, changed, value, branchDepth + 1)
  if (stored) embedLeaves(children, changed)
  return branch
}

/**
 * Marks changed leaves as INSIDE: they are in the bytes of their branch, so thousands of leaf objects are not kept, and an
 * embedded leaf is later replaced without being decoded.
 */
const embedLeaves = (children: Child[], changed: number): void => {
  for (let i = 0; i < 16; i++) {
    if (((changed >> i) & 1) === 0) continue
    const child = children[i]
    if (typeof child === 'object' && child.kind === 'leaf') children[i] = INSIDE
  }
}

/** The leaf of this entry if it replaces an embedded leaf with the same key; the old leaf is then not decoded. */
const replacement = (
  branch: Branch,
  index: number,
  { key, value }: TrieEntry,
  depth: number,
): Leaf | undefined => {
  if (value === undefined || branch.children[index] !== INSIDE) return undefined
  const leaf = leafOf(key, value)
  return hasOtherValue(branch, index, leaf, depth) ? leaf : undefined
}

/** Replaces a branch by its only remaining child. */
const replaceByChild = (prefix: Uint8Array, index: number, child: Node): Node => {
  if (child.kind === 'leaf') return child
  const joined = new Uint8Array(prefix.length + 1 + child.prefix.length)
  joined.set(prefix)
  joined[prefix.length] = index
  joined.set(child.prefix, prefix.length + 1)
  return withPrefix(child, joined)
}

/**
 * Adds the records of the changed children; the child at index `removedChild`, which replaces its parent, loses its own.
 */
const writeChildren = (
  run: TrieRun,
  base: Branch | undefined,
  children: readonly Child[],
  changed: number,
  removedChild: number | undefined,
  pathKey: Uint8Array,
  branchDepth: number,
): void => {
  const { writes } = run
  if (writes === undefined) return
  let path: string | undefined
  for (let i = 0; i < 16; i++) {
    if (((changed >> i) & 1) === 0) continue
    const after = children[i]
    const written = i !== removedChild && hasRecord(after)
    if (!written && !hasRecord(base?.children[i])) continue
    path ??= pathOf(pathKey, branchDepth)
    writes.push({
      key: recordKey(run.keyPrefix, path + HEX_DIGITS[i]),
      value: written ? recordOf(after as Branch) : undefined,
    })
  }
}
