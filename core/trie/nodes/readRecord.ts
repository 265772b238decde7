import { EMPTY_BYTES } from '../../bytes/bytes.ts'
import { payloadStart, referenceEnd } from './encoding.ts'
import {
  BRANCH_RECORD,
  branchesMask,
  childEnd,
  insideMask,
  LEAF_RECORD,
  lebSize,
  listEnd,
  locateChildren,
  masksStart,
  readLeb,
  childStarts,
} from './layout.ts'
import { EMPTY_TAIL, leafOf } from './leaf.ts'
import { type Branch, type Child, INSIDE, type Leaf, type Node, STORED } from './node.ts'

/**
 * Decodes the leaf at `start`, which is child `index` of a branch whose children start at nibble `depth`. `key` is any key
 * that leads to the branch: it gives the nibbles that the leaf's hash does not cover, which are never read from the record.
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
  locateChildren(bytes, rlpEnd)
  if (childStarts[16] !== bytes.length) return undefined
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

/** Decodes the node of a record without verifying its hash; undefined when the bytes are invalid. */
export const decodeRecord = (record: Uint8Array): Node | undefined => {
  if (record[0] === BRANCH_RECORD) return readBranch(record)
  if (record[0] !== LEAF_RECORD || childEnd(record, 1, false) !== record.length) return undefined
  return readLeaf(record, 1, record.length, EMPTY_BYTES, 0, 0)
}

/**
 * Decodes child `index` of a branch, which must be INSIDE; `key` and `depth` as in `readLeaf`. Undefined when the bytes are
 * invalid.
 */
export const readInside = (
  branch: Branch,
  index: number,
  key: Uint8Array,
  depth: number,
): Node | undefined => {
  const { bytes } = branch
  locateChildren(bytes, branch.rlpEnd)
  const start = childStarts[index] as number
  const end = childStarts[index + 1] as number
  if (!isBranchInside(branch, index)) return readLeaf(bytes, start, end, key, depth, index)
  return decodeRecord(bytes.slice(start + lebSize(readLeb(bytes, start)), end))
}

/** True when child `index` of a branch, which must be INSIDE, is a branch. */
export const isBranchInside = ({ bytes }: Branch, index: number): boolean =>
  ((branchesMask(bytes, masksStart(bytes)) >> index) & 1) === 1

/**
 * True when child `index` of a branch, which must be INSIDE, is a leaf with the same key and another value. Such a leaf is
 * replaced without being decoded or verified.
 */
export const hasOtherValue = (
  branch: Branch,
  index: number,
  { key, value, ownLength }: Leaf,
  depth: number,
): boolean => {
  if (isBranchInside(branch, index)) return false
  const { bytes } = branch
  locateChildren(bytes, branch.rlpEnd)
  const start = childStarts[index] as number
  const shared = depth >> 1
  const restLength = key.length - shared
  const head = bytes[start] as number
  if ((head & 0x7f) !== restLength) return false
  // A child that starts at an odd depth does not include the high nibble of its first byte.
  const own = (depth & 1) === 0 ? 255 : 15
  if ((((bytes[start + 1] as number) ^ (key[shared] as number)) & own) !== 0) return false
  for (let i = 1; i < restLength; i++) if (bytes[start + 1 + i] !== key[shared + i]) return false
  const at = start + 1 + restLength
  if (head >= 0x80 !== ownLength < value.length || readLeb(bytes, at) !== ownLength) return true
  const valueAt = at + lebSize(ownLength)
  for (let i = 0; i < ownLength; i++) if (bytes[valueAt + i] !== value[i]) return true
  return false
}
