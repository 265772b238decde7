/*
 * A record holds one branch with its extension. Its leaf children and small branch children are embedded in it, so that a
 * changed value rewrites one record at the bottom. A branch is stored with its RLP: reading verifies it with one hash, and
 * an update copies the unchanged parts.
 *
 *   branch   01, number of extension nibbles (1 byte), extension nibbles (1 byte each), mask of embedded children (2 bytes),
 *            mask of the embedded children that are branches (2 bytes), RLP, the embedded children in order: a leaf as
 *            below, a branch after its length (LEB128)
 *   leaf     length of the rest of the key (1 byte; top bit: EMPTY_TAIL was cut off the value), rest of the key,
 *            length of the value (LEB128), value. A trie of one leaf is stored as 00 and the leaf.
 *
 * The rest of a key begins with the byte that holds the leaf's first own nibble; the path gives the bytes before it.
 */
export const LEAF_RECORD = 0
export const BRANCH_RECORD = 1

export const lebSize = (value: number): number =>
  value < 0x80 ? 1 : value < 0x4000 ? 2 : value < 0x20_0000 ? 3 : value < 0x1000_0000 ? 4 : 5

export const writeLeb = (out: Uint8Array, at: number, value: number): number => {
  let rest = value
  while (rest >= 0x80) {
    out[at++] = (rest & 0x7f) | 0x80
    rest = Math.floor(rest / 0x80)
  }
  out[at++] = rest
  return at
}

/** The LEB128 integer at `start`; NaN when it exceeds the record or is not a valid length. */
export const readLeb = (record: Uint8Array, start: number): number => {
  let value = 0
  for (let unit = 1, at = start; unit <= 0x1000_0000; unit *= 0x80, at++) {
    const byte = record[at]
    if (byte === undefined) return Number.NaN
    value += (byte & 0x7f) * unit
    if (byte < 0x80) return value
  }
  return Number.NaN
}

/** End of the embedded child that starts at `start`; NaN when it is invalid. */
export const childEnd = (record: Uint8Array, start: number, isBranch: boolean): number => {
  const lengthAt = isBranch ? start : start + 1 + ((record[start] as number) & 0x7f)
  const first = record[lengthAt] as number
  if (first < 0x80) return lengthAt + 1 + first
  const length = readLeb(record, lengthAt)
  return lengthAt + lebSize(length) + length
}

/** End of the RLP list that starts at `start`; NaN when the bytes are not a list. */
export const listEnd = (record: Uint8Array, start: number): number => {
  const first = record[start]
  if (first === undefined || first < 0xc0) return Number.NaN
  const size = first < 0xf8 ? 0 : first - 0xf7
  let length = first < 0xf8 ? first - 0xc0 : 0
  for (let i = 1; i <= size; i++) length = length * 256 + (record[start + i] ?? Number.NaN)
  return start + 1 + size + length
}

export const masksStart = (bytes: Uint8Array): number => 2 + (bytes[1] as number)
export const insideMask = (bytes: Uint8Array, masks: number): number =>
  ((bytes[masks] as number) << 8) | (bytes[masks + 1] as number)
export const branchesMask = (bytes: Uint8Array, masks: number): number =>
  ((bytes[masks + 2] as number) << 8) | (bytes[masks + 3] as number)

/**
 * Result of `locateChildren`: the start of each embedded child, and last the end of all. Shared by all calls, because the
 * trie functions run synchronously.
 */
export const childStarts = new Float64Array(17)
/** The bytes that `childStarts` describes: often several children of one branch are read one after the other. */
let located: Uint8Array | undefined

/** Fills `childStarts` for a branch whose RLP ends at `rlpEnd`. */
export const locateChildren = (bytes: Uint8Array, rlpEnd: number): void => {
  if (located === bytes) return
  located = bytes
  const masks = masksStart(bytes)
  const inside = insideMask(bytes, masks)
  const branches = branchesMask(bytes, masks)
  let at = rlpEnd
  for (let i = 0; i < 16; i++) {
    childStarts[i] = at
    if (((inside >> i) & 1) === 1) at = childEnd(bytes, at, ((branches >> i) & 1) === 1)
  }
  childStarts[16] = at
}
