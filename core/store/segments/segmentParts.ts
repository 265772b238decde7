import { concatBytes } from '../../bytes/bytes.ts'
import type { Steps } from '../../steps.ts'
import { checkedValue, withChecksum, withChecksumSteps } from '../checksum.ts'
import {
  type PartReference,
  partsLength,
  readPartReferences,
  readParts,
  writePartReference,
} from '../codec/partList.ts'
import { createReader } from '../codec/reader.ts'
import { createWriter } from '../codec/writer.ts'
import type { KeyValueStore } from '../keyvalue/keyvalue.ts'
import { partKey, segmentKey } from '../keys.ts'
import { SEGMENT_WHOLE_PARTS } from '../limits.ts'
import { PART_LIST_VERSION } from './segment.ts'
import { writtenSegment } from './writtenSegment.ts'

/*
 * A key-value store writes, reads and checks a value in one call, whose time grows with the value. A large segment is
 * therefore stored in parts, each under its own key. The list of the parts is stored under the key of the segment. It is
 * written when the parts are durable, and it alone commits the block. An earlier stop leaves parts without a list, which
 * the next start removes.
 */

type StoredEntry = { readonly key: string; readonly value: Uint8Array }

/** A segment in its stored form. */
export type StoredSegment = {
  /** The segment or, if there are parts, their list. */
  readonly entry: StoredEntry
  /** The parts of a large segment; empty for a short one. */
  readonly parts: readonly StoredEntry[]
  readonly bytes: number
}

function* storedPartsSteps(number: number, parts: readonly Uint8Array[]): Steps<StoredSegment> {
  const entries: StoredEntry[] = []
  const list = createWriter()
  list.byte(PART_LIST_VERSION)
  list.varint(parts.length)
  let bytes = 0
  for (const [index, part] of parts.entries()) {
    const key = partKey(number, index)
    const value = withChecksum(key, part)
    entries.push({ key, value })
    writePartReference(list, value)
    bytes += value.length
    yield
  }
  const key = segmentKey(number)
  return { entry: { key, value: withChecksum(key, list.finish()) }, parts: entries, bytes }
}

const joined = (parts: readonly Uint8Array[]): Uint8Array =>
  parts.length === 1 ? (parts[0] as Uint8Array) : concatBytes(...parts)

/** The stored form of an encoded segment. Yields between parts. */
export function* storedSegmentSteps(number: number, parts: readonly Uint8Array[]): Steps<StoredSegment> {
  if (parts.length > SEGMENT_WHOLE_PARTS) return yield* storedPartsSteps(number, parts)
  const key = segmentKey(number)
  const value = yield* withChecksumSteps(key, joined(parts))
  return { entry: { key, value }, parts: [], bytes: value.length }
}

/** Writes a segment durably. After a stop it is stored completely or not at all. Other work runs between the parts. */
export const writeSegment = async (kv: KeyValueStore, { entry, parts }: StoredSegment): Promise<void> => {
  for (const part of parts) {
    await kv.set([part])
    await kv.pause()
  }
  await kv.sync()
  await kv.setDurably(entry)
}

/** Removes the parts of a segment without a list, which a stop left behind. */
export const removeParts = async (kv: KeyValueStore, number: number): Promise<void> => {
  for (let index = 0; ; index++) {
    const key = partKey(number, index)
    if ((await kv.get(key)) === undefined) return
    await kv.set([{ key, value: undefined }])
    await kv.pause()
  }
}

const readPartList = (value: Uint8Array): readonly PartReference[] => {
  const reader = createReader(value)
  reader.byte()
  return readPartReferences(reader)
}

/** The stored segment of a block in one piece, or the reason why it cannot be read. */
export type FoundSegment = Uint8Array | 'missing' | 'damaged'

/** The texts for the reasons why a segment cannot be read. */
export const REASONS = { missing: 'it is missing', damaged: 'its checksum does not match' } as const

/** Removes a segment: first its parts, which its list names. */
export const removeSegment = async (kv: KeyValueStore, number: number): Promise<void> => {
  const value = await readEntry(kv, number)
  if (value === 'damaged') await removeParts(kv, number)
  if (typeof value !== 'string' && isPartList(value))
    for (const index of readPartList(value).keys()) {
      await kv.set([{ key: partKey(number, index), value: undefined }])
      await kv.pause()
    }
  if (value !== 'missing') await kv.set([{ key: segmentKey(number), value: undefined }])
}

type PartReader = Pick<KeyValueStore, 'get' | 'pause'>

/** The segment, or the list of its parts. */
const readEntry = async (kv: PartReader, number: number): Promise<FoundSegment> => {
  const key = segmentKey(number)
  const stored = await kv.get(key)
  return stored === undefined ? 'missing' : (checkedValue(key, stored) ?? 'damaged')
}

const isPartList = (value: Uint8Array): boolean => value[0] === PART_LIST_VERSION

/** Reads and verifies a segment, in the form that is written. Other work runs between the parts of a large one. */
export const readSegment = async (kv: PartReader, number: number): Promise<FoundSegment> => {
  const value = await readEntry(kv, number)
  if (typeof value === 'string') return value
  if (!isPartList(value)) return writtenSegment(value)
  const list = readPartList(value)
  const bytes = new Uint8Array(partsLength(list))
  const keyOf = (index: number): string => partKey(number, index)
  const found = await readParts(kv, list, keyOf, (part, at) => bytes.set(part, at))
  return found === 'damaged' ? found : writtenSegment(bytes)
}

/** As `readSegment`, without keeping the bytes. */
export const checkSegment = async (
  kv: PartReader,
  number: number,
): Promise<'whole' | 'missing' | 'damaged'> => {
  const value = await readEntry(kv, number)
  if (typeof value === 'string') return value
  if (!isPartList(value)) return 'whole'
  const keyOf = (index: number): string => partKey(number, index)
  return await readParts(kv, readPartList(value), keyOf, () => undefined)
}
