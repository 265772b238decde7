import { EMPTY_BYTES } from '../../bytes/bytes.ts'
import { encodeBranch, patchReferences } from './encoding.ts'
import {
  BRANCH_RECORD,
  branchesMask,
  insideMask,
  LEAF_RECORD,
  lebSize,
  locateChildren,
  masksStart,
  childStarts,
  writeLeb,
} from './layout.ts'
import { type Branch, type Child, INSIDE, type Leaf, type Node, STORED } from './node.ts'

/**
 * A branch up to this size is embedded in its parent; a larger one has its own record. Three accounts fit, so that at every
 * state size nearly all changes touch one record at the bottom, which stays below 4 kB.
 */
const INLINE_BYTES_MAX = 260

/**
 * Longer keys are refused: their length would not fit into a record. All tries of the protocol have keys of 1 to 32 bytes.
 */
export const KEY_BYTES_MAX = 127

/** True when the child of a branch has its own record. */
export const hasRecord = (child: Child): boolean =>
  child === STORED ||
  (child !== undefined &&
    child !== INSIDE &&
    child.kind === 'branch' &&
    child.bytes.length > INLINE_BYTES_MAX)

const leafSize = ({ key, ownLength }: Leaf, depth: number): number =>
  1 + key.length - (depth >> 1) + lebSize(ownLength) + ownLength

const writeLeaf = (out: Uint8Array, at: number, { key, value, ownLength }: Leaf, depth: number): number => {
  const rest = depth >> 1
  out[at++] = (key.length - rest) | (ownLength < value.length ? 0x80 : 0)
  for (let i = rest; i < key.length; i++) out[at++] = key[i] as number
  at = writeLeb(out, at, ownLength)
  for (let i = 0; i < ownLength; i++) out[at++] = value[i] as number
  return at
}

/** Bytes that a loaded child, which starts at nibble `depth`, takes in its parent; 0 when it is not embedded. */
const sizeInside = (child: Child, depth: number): number => {
  if (child === undefined || hasRecord(child)) return 0
  const node = child as Node
  if (node.kind === 'leaf') return leafSize(node, depth)
  return lebSize(node.bytes.length) + node.bytes.length
}

const writeInside = (out: Uint8Array, at: number, node: Node, depth: number): number => {
  if (node.kind === 'leaf') return writeLeaf(out, at, node, depth)
  const start = writeLeb(out, at, node.bytes.length)
  out.set(node.bytes, start)
  return start + node.bytes.length
}

/**
 * The bytes of a branch whose children start at nibble `depth`. The children in `changed` (one bit for each) are encoded
 * again; the others are copied from `base`, the previous branch. Without a base, `changed` must contain all children.
 */
const branchBytes = (
  prefix: Uint8Array,
  rlp: Uint8Array,
  base: Branch | undefined,
  children: readonly Child[],
  changed: number,
  depth: number,
): Uint8Array => {
  const old = base?.bytes ?? EMPTY_BYTES
  let inside = 0
  let branches = 0
  if (base !== undefined) {
    locateChildren(old, base.rlpEnd)
    inside = insideMask(old, masksStart(old)) & ~changed
    branches = branchesMask(old, masksStart(old)) & ~changed
  }
  const masks = 2 + prefix.length
  let size = masks + 4 + rlp.length
  for (let i = 0; i < 16; i++) {
    if (((changed >> i) & 1) === 0) {
      if (((inside >> i) & 1) === 1) size += (childStarts[i + 1] as number) - (childStarts[i] as number)
      continue
    }
    const child = children[i]
    const newSize = sizeInside(child, depth)
    size += newSize
    if (newSize === 0) continue
    inside |= 1 << i
    if ((child as Node).kind === 'branch') branches |= 1 << i
  }
  const out = new Uint8Array(size)
  out[0] = BRANCH_RECORD
  out[1] = prefix.length
  out.set(prefix, 2)
  out[masks] = inside >> 8
  out[masks + 1] = inside & 255
  out[masks + 2] = branches >> 8
  out[masks + 3] = branches & 255
  out.set(rlp, masks + 4)
  let at = masks + 4 + rlp.length
  for (let i = 0; i < 16; i++) {
    if (((inside >> i) & 1) === 0) continue
    if (((changed >> i) & 1) === 1) at = writeInside(out, at, children[i] as Node, depth)
    else
      for (let j = childStarts[i] as number, end = childStarts[i + 1] as number; j < end; j++)
        out[at++] = old[j] as number
  }
  return out
}

/** True when the changed embedded children have their previous lengths and kinds. */
const sameSizes = (base: Branch, children: readonly Child[], changed: number, depth: number): boolean => {
  const { bytes } = base
  const branches = branchesMask(bytes, masksStart(bytes))
  locateChildren(bytes, base.rlpEnd)
  for (let i = 0; i < 16; i++) {
    if (((changed >> i) & 1) === 0) continue
    const child = children[i]
    const size = sizeInside(child, depth)
    if (size !== (childStarts[i + 1] as number) - (childStarts[i] as number)) return false
    if (size > 0 && (((branches >> i) & 1) === 1) !== ((child as Node).kind === 'branch')) return false
  }
  return true
}

/** A copy of the bytes in which only the changed parts are overwritten; undefined when a part has another length. */
const patched = (
  stored: boolean,
  base: Branch,
  children: readonly Child[],
  changed: number,
  depth: number,
): Uint8Array | undefined => {
  if (stored && !sameSizes(base, children, changed, depth)) return undefined
  const out = base.bytes.slice()
  if (!patchReferences(out, base, children, changed, depth)) return undefined
  if (stored)
    for (let i = 0; i < 16; i++)
      if (((changed >> i) & 1) === 1 && childStarts[i] !== childStarts[i + 1])
        writeInside(out, childStarts[i] as number, children[i] as Node, depth)
  return out
}

/**
 * The branch with these children, which start at nibble `depth`. The children in `changed` (one bit for each) are encoded
 * again; the others are copied from `base`, the previous branch. Without a base, `changed` must contain all children.
 * `stored` is true if the trie has records.
 */
export const branchOf = (
  stored: boolean,
  prefix: Uint8Array,
  base: Branch | undefined,
  children: Child[],
  changed: number,
  value: Uint8Array | undefined,
  depth: number,
): Branch => {
  // The new parts nearly always have the previous lengths.
  if (base !== undefined && base.prefix === prefix && value === undefined && base.value === undefined) {
    const bytes = patched(stored, base, children, changed, depth)
    const { rlpStart, rlpEnd } = base
    if (bytes !== undefined) return { kind: 'branch', prefix, children, value, bytes, rlpStart, rlpEnd }
  }
  const rlp = encodeBranch(base, children, changed, value, depth)
  if (!stored) return { kind: 'branch', prefix, children, value, bytes: rlp, rlpStart: 0, rlpEnd: rlp.length }
  const bytes = branchBytes(prefix, rlp, base, children, changed, depth)
  const rlpStart = masksStart(bytes) + 4
  return { kind: 'branch', prefix, children, value, bytes, rlpStart, rlpEnd: rlpStart + rlp.length }
}

/** The branch with another extension above it. */
export const withPrefix = (branch: Branch, prefix: Uint8Array): Branch => {
  // In a trie that is not stored, a branch only has the RLP.
  if (branch.rlpStart === 0) return { ...branch, prefix }
  const rest = branch.bytes.slice(masksStart(branch.bytes))
  const bytes = new Uint8Array(2 + prefix.length + rest.length)
  bytes[0] = BRANCH_RECORD
  bytes[1] = prefix.length
  bytes.set(prefix, 2)
  bytes.set(rest, 2 + prefix.length)
  const moved = prefix.length - branch.prefix.length
  return { ...branch, prefix, bytes, rlpStart: branch.rlpStart + moved, rlpEnd: branch.rlpEnd + moved }
}

/** The record of a branch, or of the only leaf of a trie. */
export const recordOf = (node: Node): Uint8Array => {
  if (node.kind === 'branch') return node.bytes
  const out = new Uint8Array(1 + leafSize(node, 0))
  out[0] = LEAF_RECORD
  writeLeaf(out, 1, node, 0)
  return out
}
