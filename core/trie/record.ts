import { EMPTY_BYTES } from '../bytes/bytes.ts'
import { payloadStart, referenceEnd } from './encoding.ts'
import { EMPTY_TAIL, leafOf } from './leaf.ts'
import { type Branch, type Child, type InlineLeaf, type Leaf, type Node, STORED } from './node.ts'

/*
 * A record holds one branch with its extension and the contents of its leaf children, so that a changed value rewrites one
 * record at the bottom. It carries the branch's RLP as it is: reading verifies it with one hash, and writing copies it.
 *
 *   branch  01, number of extension nibbles (1), extension nibbles (1 each), leaf children (2, a bit each), RLP, contents
 *   leaf    00, contents; only where the whole trie is one leaf
 *   contents of a leaf  length of the key's rest (1, top bit: EMPTY_TAIL was cut off the value), rest of the key,
 *                       length of the value (LEB128), value
 *
 * The rest of a key begins with the byte that holds the leaf's first own nibble; what comes before is known from the way.
 */
const LEAF_RECORD = 0
const BRANCH_RECORD = 1

/** Longer keys are refused: their length would not fit into a record. Every trie of the protocol has keys of 1 to 32 bytes. */
export const KEY_BYTES_MAX = 127

const lebSize = (value: number): number => (value < 0x80 ? 1 : 1 + lebSize(Math.floor(value / 0x80)))

const contentsSize = (child: Child, depth: number): number => {
  if (child === undefined || child === STORED || child.kind === 'branch') return 0
  if (child.kind === 'inline') return child.end - child.start
  return 1 + child.key.length - (depth >> 1) + lebSize(child.ownLength) + child.ownLength
}

const writeContents = (out: Uint8Array, at: number, leaf: Leaf | InlineLeaf, depth: number): number => {
  if (leaf.kind === 'inline') {
    for (let i = leaf.start; i < leaf.end; i++) out[at++] = leaf.record[i] as number
    return at
  }
  const { key, value, ownLength } = leaf
  const rest = depth >> 1
  out[at++] = (key.length - rest) | (ownLength < value.length ? 0x80 : 0)
  for (let i = rest; i < key.length; i++) out[at++] = key[i] as number
  let length = ownLength
  while (length >= 0x80) {
    out[at++] = (length & 0x7f) | 0x80
    length = Math.floor(length / 0x80)
  }
  out[at++] = length
  for (let i = 0; i < ownLength; i++) out[at++] = value[i] as number
  return at
}

/** The record of a node that starts `depth` nibbles down. */
export const encodeRecord = (node: Node, depth: number): Uint8Array => {
  if (node.kind === 'leaf') {
    const out = new Uint8Array(1 + contentsSize(node, 0))
    out[0] = LEAF_RECORD
    writeContents(out, 1, node, 0)
    return out
  }
  const { prefix, rlp, children } = node
  const childDepth = depth + prefix.length + 1
  let size = 4 + prefix.length + rlp.length
  for (let i = 0; i < 16; i++) size += contentsSize(children[i], childDepth)
  const out = new Uint8Array(size)
  out[0] = BRANCH_RECORD
  out[1] = prefix.length
  out.set(prefix, 2)
  const maskAt = 2 + prefix.length
  out.set(rlp, maskAt + 2)
  let mask = 0
  let at = maskAt + 2 + rlp.length
  for (let i = 0; i < 16; i++) {
    const child = children[i]
    if (child === undefined || child === STORED || child.kind === 'branch') continue
    mask |= 1 << i
    at = writeContents(out, at, child, childDepth)
  }
  out[maskAt] = mask >> 8
  out[maskAt + 1] = mask & 255
  return out
}

/** Where the contents that start there end; NaN when they reach past the record. */
const contentsEnd = (record: Uint8Array, start: number): number => {
  let at = start + 1 + ((record[start] as number) & 0x7f)
  let length = 0
  for (let unit = 1; ; unit *= 0x80) {
    const byte = record[at++]
    if (byte === undefined) return Number.NaN
    length += (byte & 0x7f) * unit
    if (byte < 0x80) return at + length
    if (unit > 0x1000_0000) return Number.NaN
  }
}

/**
 * The leaf in those contents, which is child `index` of a branch whose children start `depth` nibbles down; `key` is any
 * key that leads to the branch. What the leaf's hash does not cover is taken from there, never from the record.
 */
export const readInlineLeaf = (inline: InlineLeaf, key: Uint8Array, depth: number, index: number): Leaf => {
  const { record, start, end } = inline
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
  let at = start + 1 + restLength
  while ((record[at] as number) >= 0x80) at++
  at++
  if (head < 0x80) return leafOf(whole, record.slice(at, end))
  const value = new Uint8Array(end - at + EMPTY_TAIL.length)
  for (let i = at; i < end; i++) value[i - at] = record[i] as number
  value.set(EMPTY_TAIL, end - at)
  return leafOf(whole, value)
}

const readBranch = (record: Uint8Array): Branch | undefined => {
  const maskAt = 2 + (record[1] as number)
  const rlpAt = maskAt + 2
  const first = record[rlpAt]
  if (first === undefined || first < 0xc0) return undefined
  const size = first < 0xf8 ? 0 : first - 0xf7
  let length = first < 0xf8 ? first - 0xc0 : 0
  for (let i = 1; i <= size; i++) length = length * 256 + (record[rlpAt + i] ?? Number.NaN)
  const rlpEnd = rlpAt + 1 + size + length
  if (!(rlpEnd <= record.length)) return undefined
  // A copy: a view would make the runtime give the record a buffer object of its own, which costs more.
  const rlp = record.slice(rlpAt, rlpEnd)
  const mask = ((record[maskAt] as number) << 8) | (record[maskAt + 1] as number)
  const children: Child[] = []
  let at = payloadStart(rlp)
  let contents = rlpEnd
  for (let i = 0; i < 16; i++) {
    if (at >= rlp.length) return undefined
    const present = rlp[at] !== 0x80
    at = referenceEnd(rlp, at)
    if (((mask >> i) & 1) === 1) {
      const end = contentsEnd(record, contents)
      if (!present || !(end <= record.length)) return undefined
      children.push({ kind: 'inline', record, start: contents, end })
      contents = end
    } else children.push(present ? STORED : undefined)
  }
  if (contents !== record.length) return undefined
  return {
    kind: 'branch',
    prefix: record[1] === 0 ? EMPTY_BYTES : record.slice(2, maskAt),
    rlp,
    children,
    value: rlp[at] === 0x80 ? undefined : readValue(rlp, at),
  }
}

const readValue = (rlp: Uint8Array, at: number): Uint8Array => {
  const first = rlp[at] as number
  if (first < 0x80) return rlp.slice(at, at + 1)
  return rlp.slice(first < 0xb8 ? at + 1 : at + first - 0xb6)
}

/** The node in a record; undefined when the bytes are none. Nothing is held against a hash here. */
export const decodeRecord = (record: Uint8Array): Node | undefined => {
  if (record[0] === BRANCH_RECORD) return readBranch(record)
  if (record[0] !== LEAF_RECORD || record.length < 2) return undefined
  if (contentsEnd(record, 1) !== record.length) return undefined
  return readInlineLeaf({ kind: 'inline', record, start: 1, end: record.length }, EMPTY_BYTES, 0, 0)
}
