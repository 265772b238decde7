import { joinBytes } from '../../core/bytes/bytes.ts'
import { iterateRawItems, rawString } from '../../core/rlp/rawItem.ts'
import { RlpError } from '../../core/rlp/rlp.ts'
import { joinRlpList } from '../../core/rlp/list.ts'
import { encodedLength, STRING_HEAD, stringLength, writeHead, writeString } from '../../core/rlp/write.ts'

/*
 * What a hostile encoder can do to valid bytes without changing what they say, or by adding to it: every one at every place.
 */

const bytesOf = (...bytes: readonly number[]): Uint8Array => Uint8Array.from(bytes)
const isList = (item: Uint8Array): boolean => (item[0] as number) >= 0xc0

const stringOf = (content: Uint8Array): Uint8Array => {
  const bytes = new Uint8Array(stringLength(content.length, content[0]))
  writeString(bytes, 0, content)
  return bytes
}

/** A string in a form that wraps also a single byte. */
const wrapped = (content: Uint8Array): Uint8Array => {
  const bytes = new Uint8Array(encodedLength(content.length))
  bytes.set(content, writeHead(bytes, 0, STRING_HEAD, content.length))
  return bytes
}

/** The prefix with its length in one more byte than it needs. */
const longer = (item: Uint8Array): Uint8Array => {
  const first = item[0] as number
  const base = first >= 0xc0 ? 0xc0 : 0x80
  const short = first - base
  if (first < 0x80) return bytesOf(0xb8, 1, first)
  if (short <= 55) return joinBytes([bytesOf(base + 56, short), item.subarray(1)])
  return joinBytes([bytesOf(first + 1, 0), item.subarray(1)])
}

/** Items that are inserted, and put in the place of others. */
const FOREIGN: readonly Uint8Array[] = [bytesOf(0x80), bytesOf(0xc0), bytesOf(0x05), bytesOf(0x83, 1, 2, 3)]

const contentOf = (item: Uint8Array): Uint8Array => {
  try {
    return rawString(item, 'it')
  } catch (error) {
    if (error instanceof RlpError) return item
    throw error
  }
}

/** Other encodings of one item, as a whole. */
const ownForms = (item: Uint8Array): readonly Uint8Array[] => {
  const forms = [longer(item), ...FOREIGN]
  if (isList(item)) return [...forms, stringOf(item)]
  const content = contentOf(item)
  return [...forms, wrapped(content), stringOf(joinBytes([bytesOf(0), content])), joinRlpList([item])]
}

/** The items of a list; undefined for anything else. */
const itemsOf = (bytes: Uint8Array): readonly Uint8Array[] | undefined => {
  try {
    return [...iterateRawItems(bytes, 'it')]
  } catch (error) {
    if (error instanceof RlpError) return undefined
    throw error
  }
}

/** Items of one list that are changed: the first ones stand for all of a long list. */
const ITEMS_MAX = 24

/** Every change of the RLP in the bytes, also of RLP within its strings. `prefix` bytes precede it. */
export function* rlpMutations(bytes: Uint8Array, prefix = 0): Generator<Uint8Array> {
  const head = bytes.subarray(0, prefix)
  for (const item of itemMutations(bytes.subarray(prefix))) yield joinBytes([head, item])
}

function* itemMutations(item: Uint8Array): Generator<Uint8Array> {
  yield* ownForms(item)
  const items = item.length > 0 && isList(item) ? itemsOf(item) : undefined
  if (items === undefined) {
    yield* withinString(item)
    return
  }
  const join = (changed: readonly Uint8Array[]): Uint8Array => joinRlpList(changed)
  for (const foreign of FOREIGN) {
    yield join([...items, foreign])
    yield join([foreign, ...items])
  }
  for (const [index, own] of items.slice(0, ITEMS_MAX).entries()) {
    yield join(items.filter((_, other) => other !== index))
    yield join([...items.slice(0, index), own, ...items.slice(index)])
    for (const changed of itemMutations(own)) yield join(items.with(index, changed))
  }
}

/** The content of a string may be RLP itself, as extraData, or RLP after a type, as a transaction. */
function* withinString(item: Uint8Array): Generator<Uint8Array> {
  const content = contentOf(item)
  if (content.length < 3) return
  for (const prefix of [0, 1])
    if (itemsOf(content.subarray(prefix)) !== undefined)
      for (const changed of rlpMutations(content, prefix)) yield stringOf(changed)
}

/** Every change of a binary form with lengths, flags and integers, at every byte. */
export function* binaryMutations(bytes: Uint8Array): Generator<Uint8Array> {
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at] as number
    const before = bytes.subarray(0, at)
    const after = bytes.subarray(at + 1)
    // A LEB128 integer in one more byte; an integer or word with a leading zero.
    yield joinBytes([before, bytesOf(byte | 0x80, 0), after])
    yield joinBytes([before, bytesOf(byte + 1, 0), after])
    for (const bit of [1, 2, 4, 8, 16, 32, 64, 128]) yield joinBytes([before, bytesOf(byte ^ bit), after])
    yield joinBytes([before, after])
    yield joinBytes([before, bytesOf(0), bytes.subarray(at)])
  }
  yield joinBytes([bytes, bytesOf(0)])
  yield joinBytes([bytes, bytes])
}
