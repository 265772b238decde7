import { decodeRlp, RlpError, type RlpItem } from './rlp.ts'
import { SHORT_LENGTH_MAX } from './write.ts'

/**
 * An encoded RLP item, a view of its message. Messages are decoded list by list, because signed parts must be hashed and
 * forwarded with the same bytes.
 */
export type RawItem = Uint8Array

type Extent = { readonly isList: boolean; readonly start: number; readonly end: number }

/** The length after a long prefix, whose last byte is at `last`; lengths above 2^53 are out of range. */
const longLength = (bytes: Uint8Array, first: number, last: number): number => {
  if (last >= bytes.length) throw new RlpError('bad RLP: out of range')
  if (bytes[first] === 0) throw new RlpError('bad RLP: wrong length encoding with leading zeros')
  let length = 0
  for (let i = first; i <= last; i++) length = length * 256 + (bytes[i] as number)
  if (length <= SHORT_LENGTH_MAX) throw new RlpError('bad RLP: a short length in the long form')
  return length
}

/**
 * The bounds of the content of the item at `offset`. @throws RlpError when its prefix is not canonical, or it is cut off.
 */
const extentOf = (bytes: Uint8Array, offset: number): Extent => {
  const first = bytes[offset]
  if (first === undefined) throw new RlpError('bad RLP: out of range')
  if (first < 0x80) return { isList: false, start: offset, end: offset + 1 }
  const isList = first >= 0xc0
  const short = first - (isList ? 0xc0 : 0x80)
  const lengthBytes = Math.max(0, short - SHORT_LENGTH_MAX)
  const start = offset + 1 + lengthBytes
  const end = start + (lengthBytes === 0 ? short : longLength(bytes, offset + 1, start - 1))
  if (end > bytes.length) throw new RlpError('bad RLP: out of range')
  if (!isList && end - start === 1 && (bytes[start] as number) < 0x80)
    throw new RlpError('bad RLP: a single byte in the string form')
  return { isList, start, end }
}

const extentOfWhole = (raw: RawItem): Extent => {
  const extent = extentOf(raw, 0)
  if (extent.end !== raw.length) throw new RlpError('bad RLP: unread bytes left')
  return extent
}

/** The encoded item at the start of the bytes, as a view; ignores the bytes after it. @throws RlpError */
export const firstRawItem = (bytes: Uint8Array): RawItem => bytes.subarray(0, extentOf(bytes, 0).end)

/** The encoded items of a list, not decoded further. @throws RlpError immediately when it is not a list */
export function* iterateRawItems(raw: RawItem | undefined, what: string): Generator<RawItem, void> {
  if (raw === undefined) throw new RlpError(`${what} must be a list`)
  const { isList, start } = extentOfWhole(raw)
  if (!isList) throw new RlpError(`${what} must be a list`)
  for (let offset = start; offset < raw.length; ) {
    const { end } = extentOf(raw, offset)
    yield raw.subarray(offset, end)
    offset = end
  }
}

/**
 * The encoded items of a list, not decoded further. `max` keeps a message from making this node split millions of items.
 * @throws RlpError when the list has fewer than `min` or more than `max` items
 */
export const rawItems = (raw: RawItem, what: string, min: number, max: number = min): RawItem[] => {
  const items: RawItem[] = []
  for (const item of iterateRawItems(raw, what)) {
    if (items.length === max) throw new RlpError(`${what} has more than ${max} items`)
    items.push(item)
  }
  if (items.length < min) throw new RlpError(`${what} has ${items.length} items, where ${min} are needed`)
  return items
}

/** The content of a byte string; a view. @throws RlpError when it is a list. */
export const rawString = (raw: RawItem | undefined, what: string): Uint8Array => {
  if (raw === undefined) throw new RlpError(`${what} is missing`)
  const { isList, start, end } = extentOfWhole(raw)
  if (isList) throw new RlpError(`${what} must be a byte string`)
  return raw.subarray(start, end)
}

/**
 * Decodes an item with all that it contains, but no more than `max` items: each becomes an object, so that a megabyte of empty
 * ones would take a hundred. @throws RlpError
 */
export const decodeItems = (raw: RawItem, what: string, max: number): RlpItem => {
  if (countItems(raw, max) > max) throw new RlpError(`${what} has more than ${max} items`)
  return decodeRlp(raw)
}

/** The number of items in the bytes, counting lists and their items; stops counting above `max`. @throws RlpError */
export const countItems = (raw: RawItem, max: number): number => {
  let count = 0
  for (let offset = 0; offset < raw.length && count <= max; count++) {
    const { isList, start, end } = extentOf(raw, offset)
    offset = isList ? start : end
  }
  return count
}
