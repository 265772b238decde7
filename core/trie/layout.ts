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

/** NaN when it exceeds the record or is not a valid length. */
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

/** End of the child that starts there; NaN when it is invalid. */
export const childEnd = (record: Uint8Array, start: number, isBranch: boolean): number => {
  const lengthAt = isBranch ? start : start + 1 + ((record[start] as number) & 0x7f)
  const first = record[lengthAt] as number
  if (first < 0x80) return lengthAt + 1 + first
  const length = readLeb(record, lengthAt)
  return lengthAt + lebSize(length) + length
}

/** End of the RLP list that starts there; NaN when there is none. */
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

/** Start of each embedded child, and in the last place the end of all. Kept between calls: nothing else runs meanwhile. */
export const starts = new Float64Array(17)

/** The bytes that `starts` describes: several children of one branch are often read in sequence. */
let located: Uint8Array | undefined

/** Fills `starts` for a branch whose RLP ends at `rlpEnd`. */
export const locate = (bytes: Uint8Array, rlpEnd: number): void => {
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
