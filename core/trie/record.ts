import { EMPTY_BYTES } from '../bytes/bytes.ts'
import { encodeBranch, patchReferences, payloadStart, referenceEnd } from './encoding.ts'
import { EMPTY_TAIL, leafOf } from './leaf.ts'
import { type Branch, type Child, INSIDE, type Leaf, type Node, STORED } from './node.ts'

/*
 * A record holds one branch with its extension, and inside it its leaf children and its small branches whole, so that a
 * changed value rewrites one record at the bottom. A branch carries its RLP as it is: reading verifies it with one hash,
 * and an update copies what did not change.
 *
 *   branch   01, number of extension nibbles (1), extension nibbles (1 each), children inside (2, a bit each), those of
 *            them that are branches (2), RLP, the children inside in order: leaves, and branches after their length (LEB128)
 *   leaf     length of the key's rest (1, top bit: EMPTY_TAIL was cut off the value), rest of the key,
 *            length of the value (LEB128), value; after 00 it is a record itself, where the whole trie is one leaf
 *
 * The rest of a key begins with the byte that holds the leaf's first own nibble; what comes before is known from the way.
 */
const LEAF_RECORD = 0
const BRANCH_RECORD = 1

/**
 * A branch of no more bytes than this stands inside its parent, a larger one has a record of its own. Three accounts fit:
 * at every size of the state nearly all changes then touch one record at the bottom, and that stays below 4 kB.
 */
export const INLINE_BYTES_MAX = 260

/** Longer keys are refused: their length would not fit into a record. Every trie of the protocol has keys of 1 to 32 bytes. */
export const KEY_BYTES_MAX = 127

/** Whether the child of a branch has a record of its own. */
export const hasRecord = (child: Child): boolean =>
  child === STORED ||
  (child !== undefined &&
    child !== INSIDE &&
    child.kind === 'branch' &&
    child.bytes.length > INLINE_BYTES_MAX)

const lebSize = (value: number): number =>
  value < 0x80 ? 1 : value < 0x4000 ? 2 : value < 0x20_0000 ? 3 : value < 0x1000_0000 ? 4 : 5

const writeLeb = (out: Uint8Array, at: number, value: number): number => {
  let rest = value
  while (rest >= 0x80) {
    out[at++] = (rest & 0x7f) | 0x80
    rest = Math.floor(rest / 0x80)
  }
  out[at++] = rest
  return at
}

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

/** Bytes that a child in hand which starts `depth` nibbles down takes inside its parent. */
const sizeInside = (child: Child, depth: number): number => {
  if (child === undefined || hasRecord(child)) return 0
  const node = child as Node
  if (node.kind === 'leaf') return leafSize(node, depth)
  return lebSize(node.bytes.length) + node.bytes.length
}

/** NaN when it reaches past the record or is no length. */
const readLeb = (record: Uint8Array, start: number): number => {
  let value = 0
  for (let unit = 1, at = start; unit <= 0x1000_0000; unit *= 0x80, at++) {
    const byte = record[at]
    if (byte === undefined) return Number.NaN
    value += (byte & 0x7f) * unit
    if (byte < 0x80) return value
  }
  return Number.NaN
}

/** Where the child that starts there ends; NaN when it is no child. */
const childEnd = (record: Uint8Array, start: number, isBranch: boolean): number => {
  const lengthAt = isBranch ? start : start + 1 + ((record[start] as number) & 0x7f)
  const first = record[lengthAt] as number
  if (first < 0x80) return lengthAt + 1 + first
  const length = readLeb(record, lengthAt)
  return lengthAt + lebSize(length) + length
}

/** The end of the RLP list that starts there; NaN when no list does. */
const listEnd = (record: Uint8Array, start: number): number => {
  const first = record[start]
  if (first === undefined || first < 0xc0) return Number.NaN
  const size = first < 0xf8 ? 0 : first - 0xf7
  let length = first < 0xf8 ? first - 0xc0 : 0
  for (let i = 1; i <= size; i++) length = length * 256 + (record[start + i] ?? Number.NaN)
  return start + 1 + size + length
}

const masksStart = (bytes: Uint8Array): number => 2 + (bytes[1] as number)
const insideMask = (bytes: Uint8Array, masks: number): number =>
  ((bytes[masks] as number) << 8) | (bytes[masks + 1] as number)
const branchesMask = (bytes: Uint8Array, masks: number): number =>
  ((bytes[masks + 2] as number) << 8) | (bytes[masks + 3] as number)

/** Where each child inside begins, and in the last place where all end. Kept between calls: nothing else runs meanwhile. */
const starts = new Float64Array(17)

/** Of which bytes that is: a branch is often asked for several of its children in a row. */
let located: Uint8Array | undefined

/** Fills `starts` for a branch's bytes whose RLP ends at `rlpEnd`. */
const locate = (bytes: Uint8Array, rlpEnd: number): void => {
  if (located === bytes) return
  located = bytes
  const masks = masksStart(bytes)
  const inside = insideMask(bytes, masks)
  const branches = branchesMask(bytes, masks)
  let at = rlpEnd
  for (let i = 0; i < 16; i++) {
    starts[i] = at
    if (((inside >> i) & 1) === 1) at = childEnd(bytes, at, ((branches >> i) & 1) === 1)
  }
  starts[16] = at
}

const writeInside = (out: Uint8Array, at: number, node: Node, depth: number): number => {
  if (node.kind === 'leaf') return writeLeaf(out, at, node, depth)
  const start = writeLeb(out, at, node.bytes.length)
  out.set(node.bytes, start)
  return start + node.bytes.length
}

/**
 * The bytes of a branch whose children start `depth` nibbles down. Children that `changed` (a bit each) names are written
 * anew; the others are taken from `base`, the branch as it was. Without a base, every child there is must be named.
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
    locate(old, base.rlpEnd)
    inside = insideMask(old, masksStart(old)) & ~changed
    branches = branchesMask(old, masksStart(old)) & ~changed
  }
  const masks = 2 + prefix.length
  let size = masks + 4 + rlp.length
  for (let i = 0; i < 16; i++) {
    if (((changed >> i) & 1) === 0) {
      if (((inside >> i) & 1) === 1) size += (starts[i + 1] as number) - (starts[i] as number)
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
      for (let j = starts[i] as number, end = starts[i + 1] as number; j < end; j++)
        out[at++] = old[j] as number
  }
  return out
}

/** Whether the changed children inside are as long as they were, and of the same kind. */
const sameSizes = (base: Branch, children: readonly Child[], changed: number, depth: number): boolean => {
  const { bytes } = base
  const branches = branchesMask(bytes, masksStart(bytes))
  locate(bytes, base.rlpEnd)
  for (let i = 0; i < 16; i++) {
    if (((changed >> i) & 1) === 0) continue
    const child = children[i]
    const size = sizeInside(child, depth)
    if (size !== (starts[i + 1] as number) - (starts[i] as number)) return false
    if (size > 0 && (((branches >> i) & 1) === 1) !== ((child as Node).kind === 'branch')) return false
  }
  return true
}

/** A copy of the bytes with only the changed parts written; undefined where one of them has another length. */
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
      if (((changed >> i) & 1) === 1 && starts[i] !== starts[i + 1])
        writeInside(out, starts[i] as number, children[i] as Node, depth)
  return out
}

/**
 * The branch with these children, which start `depth` nibbles down. Those that `changed` (a bit each) names are encoded
 * anew; the others are taken from `base`, the branch as it was. Without a base, every child there is must be named.
 * `stored` says whether the trie has records.
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
  // Nearly always the new parts are as long as the old ones.
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
  // In a trie that is not stored the RLP is all there is.
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

/** The record of a node: of any branch, or of the leaf that is the whole trie. */
export const recordOf = (node: Node): Uint8Array => {
  if (node.kind === 'branch') return node.bytes
  const out = new Uint8Array(1 + leafSize(node, 0))
  out[0] = LEAF_RECORD
  writeLeaf(out, 1, node, 0)
  return out
}

/**
 * The leaf at `start`, which is child `index` of a branch whose children start `depth` nibbles down; `key` is any key that
 * leads to the branch. What the leaf's hash does not cover is taken from there, never from the record.
 */
const readLeaf = (
  record: Uint8Array,
  start: number,
  end: number,
  key: Uint8Array,
  depth: number,
  index: number,
): Leaf => {
  const head = record[start] as number
  const restLength = head & 0x7f
  const shared = depth >> 1
  const whole = new Uint8Array(shared + restLength)
  for (let i = 0; i < shared; i++) whole[i] = key[i] as number
  for (let i = 0; i < restLength; i++) whole[shared + i] = record[start + 1 + i] as number
  if (depth > 0) {
    if ((depth & 1) === 0) whole[shared - 1] = ((whole[shared - 1] as number) & 0xf0) | index
    else whole[shared] = (index << 4) | ((whole[shared] as number) & 15)
  }
  const at = start + 1 + restLength
  const valueAt = at + lebSize(readLeb(record, at))
  if (head < 0x80) return leafOf(whole, record.slice(valueAt, end))
  const value = new Uint8Array(end - valueAt + EMPTY_TAIL.length)
  for (let i = valueAt; i < end; i++) value[i - valueAt] = record[i] as number
  value.set(EMPTY_TAIL, end - valueAt)
  return leafOf(whole, value)
}

/** The value at the end of a branch's RLP. */
const readValue = (bytes: Uint8Array, at: number, rlpEnd: number): Uint8Array => {
  const first = bytes[at] as number
  const start = first < 0x80 ? at : first < 0xb8 ? at + 1 : at + first - 0xb6
  return bytes.slice(start, rlpEnd)
}

const readBranch = (bytes: Uint8Array): Branch | undefined => {
  const masks = masksStart(bytes)
  const rlpStart = masks + 4
  const rlpEnd = listEnd(bytes, rlpStart)
  if (!(rlpEnd <= bytes.length)) return undefined
  locate(bytes, rlpEnd)
  if (starts[16] !== bytes.length) return undefined
  const inside = insideMask(bytes, masks)
  const children: Child[] = []
  let at = payloadStart(bytes, rlpStart)
  for (let i = 0; i < 16; i++) {
    if (at >= rlpEnd) return undefined
    const isInside = ((inside >> i) & 1) === 1
    if (bytes[at] !== 0x80) children.push(isInside ? INSIDE : STORED)
    else if (isInside) return undefined
    else children.push(undefined)
    at = referenceEnd(bytes, at)
  }
  return {
    kind: 'branch',
    prefix: bytes[1] === 0 ? EMPTY_BYTES : bytes.slice(2, masks),
    children,
    value: bytes[at] === 0x80 ? undefined : readValue(bytes, at, rlpEnd),
    bytes,
    rlpStart,
    rlpEnd,
  }
}

/** The node in a record; undefined when the bytes are none. Nothing is held against a hash here. */
export const decodeRecord = (record: Uint8Array): Node | undefined => {
  if (record[0] === BRANCH_RECORD) return readBranch(record)
  if (record[0] !== LEAF_RECORD || childEnd(record, 1, false) !== record.length) return undefined
  return readLeaf(record, 1, record.length, EMPTY_BYTES, 0, 0)
}

/** Child `index` of a branch, where it is INSIDE; parameters as of `readLeaf`. Undefined when the bytes are none. */
export const readInside = (
  branch: Branch,
  index: number,
  key: Uint8Array,
  depth: number,
): Node | undefined => {
  const { bytes } = branch
  locate(bytes, branch.rlpEnd)
  const start = starts[index] as number
  const end = starts[index + 1] as number
  if (((branchesMask(bytes, masksStart(bytes)) >> index) & 1) === 0)
    return readLeaf(bytes, start, end, key, depth, index)
  return decodeRecord(bytes.slice(start + lebSize(readLeb(bytes, start)), end))
}

/**
 * Whether child `index` of a branch, where it is INSIDE, is this leaf with another value. Nothing of it stays then, so it
 * need not be read and held against its hash.
 */
export const isOlder = (
  { bytes, rlpEnd }: Branch,
  index: number,
  { key, value, ownLength }: Leaf,
  depth: number,
): boolean => {
  if (((branchesMask(bytes, masksStart(bytes)) >> index) & 1) === 1) return false
  locate(bytes, rlpEnd)
  const start = starts[index] as number
  const shared = depth >> 1
  const restLength = key.length - shared
  const head = bytes[start] as number
  if ((head & 0x7f) !== restLength) return false
  // The high nibble of the first byte is no part of the child where the child starts behind it.
  const own = (depth & 1) === 0 ? 255 : 15
  if ((((bytes[start + 1] as number) ^ (key[shared] as number)) & own) !== 0) return false
  for (let i = 1; i < restLength; i++) if (bytes[start + 1 + i] !== key[shared + i]) return false
  const at = start + 1 + restLength
  if (head >= 0x80 !== ownLength < value.length || readLeb(bytes, at) !== ownLength) return true
  const valueAt = at + lebSize(ownLength)
  for (let i = 0; i < ownLength; i++) if (bytes[valueAt + i] !== value[i]) return true
  return false
}
