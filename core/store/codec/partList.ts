import { equalBytes } from '../../bytes/bytes.ts'
import { CHECKSUM_BYTES, checkedValue } from '../checksum.ts'
import type { KeyValueStore } from '../keyvalue/keyvalue.ts'
import { MalformedRecord, type Reader } from './reader.ts'
import type { Writer } from './writer.ts'

/*
 * The list of the parts in which a large value is stored. It has the checksum of each part, so that a part of another attempt
 * is never taken for its own.
 */

/** A part in the list: its length, and the checksum of its stored form. */
export type PartReference = { readonly length: number; readonly checksum: Uint8Array }

/** @param stored the part with its checksum */
export const writePartReference = (writer: Writer, stored: Uint8Array): void => {
  writer.varint(stored.length - CHECKSUM_BYTES)
  writer.raw(stored.subarray(0, CHECKSUM_BYTES))
}

/** Bytes of all parts of a value, as of a block in a snapshot: memory for them is taken before they are read. */
const LISTED_BYTES_MAX = 256 * 1024 * 1024

/** Reads the number of the parts and their references, to the end. @throws MalformedRecord */
export const readPartReferences = (reader: Reader): readonly PartReference[] => {
  const list: PartReference[] = []
  let bytes = 0
  for (let count = reader.varint(); count > 0; count--) {
    const length = reader.varint()
    list.push({ length, checksum: reader.raw(CHECKSUM_BYTES) })
    bytes += length
    if (bytes > LISTED_BYTES_MAX) throw new MalformedRecord(`parts of more than ${LISTED_BYTES_MAX} bytes`)
  }
  reader.end()
  return list
}

export const partsLength = (list: readonly PartReference[]): number =>
  list.reduce((sum, { length }) => sum + length, 0)

/** The part, undefined if it is missing, damaged or of another attempt. */
const readPart = async (
  kv: Pick<KeyValueStore, 'get'>,
  key: string,
  { length, checksum }: PartReference,
): Promise<Uint8Array | undefined> => {
  const stored = await kv.get(key)
  if (stored === undefined || !equalBytes(stored.subarray(0, CHECKSUM_BYTES), checksum)) return undefined
  const part = checkedValue(key, stored)
  return part?.length === length ? part : undefined
}

/**
 * Calls `take` with each part and its position, and lets other work run between them.
 * @param keyOf the key of the part with an index
 */
export const readParts = async (
  kv: Pick<KeyValueStore, 'get' | 'pause'>,
  list: readonly PartReference[],
  keyOf: (index: number) => string,
  take: (part: Uint8Array, at: number) => void,
): Promise<'whole' | 'damaged'> => {
  let at = 0
  for (const [index, reference] of list.entries()) {
    const part = await readPart(kv, keyOf(index), reference)
    if (part === undefined) return 'damaged'
    take(part, at)
    at += part.length
    await kv.pause()
  }
  return 'whole'
}
