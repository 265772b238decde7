import { EMPTY_BYTES } from '../../bytes/bytes.ts'
import { keccak256Part } from '../../crypto/crypto.ts'
import {
  encodedLength,
  LIST_HEAD,
  STRING_HEAD,
  stringLength,
  writeHead,
  writeString,
} from '../../rlp/write.ts'
import type { Branch, Child, Leaf, Node } from './node.ts'

// Encoding is the inner loop of every root computation, so it writes into buffers kept between calls. Nothing called
// from here may re-enter while a buffer is in use.
let leafBuffer = new Uint8Array(1024)
const BRANCH_BYTES_MAX = 3 + 16 * 33 + 1
const branchBuffer = new Uint8Array(BRANCH_BYTES_MAX)
/** Larger buffers (a leaf can be a whole transaction) are discarded after use. */
const KEPT_BUFFER_BYTES_MAX = 65_536

/**
 * Writes the part of a leaf's RLP before the value to the start of the leaf buffer, which has room for `valueSize` bytes
 * more. Returns its length.
 */
const writeLeafPath = (key: Uint8Array, depth: number, valueSize: number): number => {
  const odd = depth & 1
  const from = (depth + odd) >> 1
  // Hex-prefix encoding (Yellow Paper appendix C) with the flag of a leaf.
  const first = odd === 1 ? 0x30 | ((key[depth >> 1] as number) & 15) : 0x20
  const pathLength = 1 + key.length - from
  const payload = stringLength(pathLength, first) + valueSize
  const out = leafBuffer
  let at = writeHead(out, 0, LIST_HEAD, payload)
  if (pathLength > 1) at = writeHead(out, at, STRING_HEAD, pathLength)
  out[at++] = first
  for (let i = from; i < key.length; i++) out[at++] = key[i] as number
  return at
}

/** Most bytes of a leaf's RLP besides its value: two list and string headers and the longest key. */
const LEAF_PATH_BYTES_MAX = 2 * 5 + 128

/** Writes the RLP of a leaf that starts at nibble `depth` to the start of the leaf buffer, and returns its length. */
const writeLeaf = ({ key, value }: Leaf, depth: number): number => {
  const valueSize = stringLength(value.length, value[0])
  const size = valueSize + LEAF_PATH_BYTES_MAX
  if (leafBuffer.length < size) leafBuffer = new Uint8Array(size)
  return writeString(leafBuffer, writeLeafPath(key, depth, valueSize), value)
}

/** The RLP of a leaf that starts at nibble `depth`, without the value of `valueLength` bytes (above 55) that follows. */
export const leafHead = (key: Uint8Array, depth: number, valueLength: number): Uint8Array => {
  const at = writeLeafPath(key, depth, encodedLength(valueLength))
  return leafBuffer.slice(0, writeHead(leafBuffer, at, STRING_HEAD, valueLength))
}

/** Writes the reference to the node whose RLP is in `bytes`: its hash, or the RLP itself when shorter than 32 bytes. */
const writeReferenceTo = (
  out: Uint8Array,
  at: number,
  bytes: Uint8Array,
  start: number,
  end: number,
): number => {
  if (end - start < 32) {
    for (let i = start; i < end; i++) out[at++] = bytes[i] as number
    return at
  }
  out[at] = 0xa0
  keccak256Part(bytes, start, end, out, at + 1)
  return at + 33
}

/** Writes the RLP of the extension node above a branch to the start of the leaf buffer, and returns its length. */
const writeExtension = ({ prefix, bytes, rlpStart, rlpEnd }: Branch): number => {
  const odd = prefix.length & 1
  const first = odd === 1 ? 0x10 | (prefix[0] as number) : 0
  const pathLength = 1 + (prefix.length >> 1)
  const rlpLength = rlpEnd - rlpStart
  const payload = stringLength(pathLength, first) + (rlpLength < 32 ? rlpLength : 33)
  const out = leafBuffer
  let at = writeHead(out, 0, LIST_HEAD, payload)
  if (pathLength > 1) at = writeHead(out, at, STRING_HEAD, pathLength)
  out[at++] = first
  for (let i = odd; i < prefix.length; i += 2)
    out[at++] = ((prefix[i] as number) << 4) | (prefix[i + 1] as number)
  return writeReferenceTo(out, at, bytes, rlpStart, rlpEnd)
}

const dropLargeBuffer = (): void => {
  if (leafBuffer.length > KEPT_BUFFER_BYTES_MAX) leafBuffer = new Uint8Array(1024)
}

/** Writes the reference to a node that starts at nibble `depth` (at most 33 bytes), and returns its end. */
export const writeReference = (out: Uint8Array, at: number, node: Node, depth: number): number => {
  if (node.kind === 'branch' && node.prefix.length === 0)
    return writeReferenceTo(out, at, node.bytes, node.rlpStart, node.rlpEnd)
  if (node.kind === 'leaf' && node.reference !== undefined) {
    out.set(node.reference, at)
    return at + node.reference.length
  }
  const length = node.kind === 'leaf' ? writeLeaf(node, depth) : writeExtension(node)
  const end = writeReferenceTo(out, at, leafBuffer, 0, length)
  dropLargeBuffer()
  return end
}

/** The RLP of a branch node, without the extension above it. */
export const branchRlp = ({ bytes, rlpStart, rlpEnd }: Branch): Uint8Array => bytes.slice(rlpStart, rlpEnd)

/** The RLP of the top node: of the leaf, the extension, or the branch if there is no extension. */
export const encodeNode = (node: Node, depth: number): Uint8Array => {
  if (node.kind === 'branch' && node.prefix.length === 0) return branchRlp(node)
  const length = node.kind === 'leaf' ? writeLeaf(node, depth) : writeExtension(node)
  const rlp = leafBuffer.slice(0, length)
  dropLargeBuffer()
  return rlp
}

/** Length of the RLP item at `at`; the children of a branch are strings of up to 55 bytes and short lists. */
const itemLength = (bytes: Uint8Array, at: number): number => {
  const first = bytes[at] as number
  return first === 0xa0 ? 33 : first < 0xc0 ? 1 : first - 0xbf
}

/** Start of the first item after the list header. */
export const payloadStart = (bytes: Uint8Array, rlpStart: number): number => {
  const first = bytes[rlpStart] as number
  return rlpStart + (first < 0xf8 ? 1 : first - 0xf6)
}

/** Start of the reference to child `index` among a branch's bytes. */
export const referenceStart = ({ bytes, rlpStart }: Branch, index: number): number => {
  let at = payloadStart(bytes, rlpStart)
  for (let i = 0; i < index; i++) at += itemLength(bytes, at)
  return at
}

export const referenceEnd = (bytes: Uint8Array, start: number): number => start + itemLength(bytes, start)

/**
 * Overwrites the references of the children in `changed` (one bit for each) in `out`, a copy of the branch's bytes. Usually
 * one hash replaces another; returns false if the lengths differ.
 */
export const patchReferences = (
  out: Uint8Array,
  base: Branch,
  children: readonly Child[],
  changed: number,
  depth: number,
): boolean => {
  let at = payloadStart(base.bytes, base.rlpStart)
  for (let i = 0; i < 16; i++) {
    if (((changed >> i) & 1) === 1) {
      const child = children[i] as Node | undefined
      if (child === undefined || base.bytes[at] !== 0xa0) return false
      if (writeReference(out, at, child, depth) !== at + 33) return false
    }
    at += itemLength(base.bytes, at)
  }
  return true
}

/**
 * The RLP of a branch whose children start at nibble `depth`. References of the children in `changed` (one bit for each)
 * are encoded again; the others are copied from `base`. Without a base, `changed` must contain all children.
 */
export const encodeBranch = (
  base: Branch | undefined,
  children: readonly Child[],
  changed: number,
  value: Uint8Array | undefined,
  depth: number,
): Uint8Array => {
  const old = base?.bytes ?? EMPTY_BYTES
  const out = value === undefined ? branchBuffer : new Uint8Array(BRANCH_BYTES_MAX + 5 + value.length)
  // The list header needs at most 3 bytes, or 5 in a branch with a value.
  const start = value === undefined ? 3 : 5
  let at = start
  let from = base === undefined ? 0 : payloadStart(old, base.rlpStart)
  for (let i = 0; i < 16; i++) {
    const length = base === undefined ? 0 : itemLength(old, from)
    if (((changed >> i) & 1) === 1) {
      const child = children[i] as Node | undefined
      if (child === undefined) out[at++] = 0x80
      else at = writeReference(out, at, child, depth)
    } else if (base === undefined) out[at++] = 0x80
    else for (let j = 0; j < length; j++) out[at++] = old[from + j] as number
    from += length
  }
  if (value === undefined) out[at++] = 0x80
  else at = writeString(out, at, value)
  const payload = at - start
  const header = start - (encodedLength(payload) - payload)
  writeHead(out, header, LIST_HEAD, payload)
  return out.slice(header, at)
}
