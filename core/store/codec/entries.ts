import type { KeyValueEntry } from '../keyvalue/keyvalue.ts'
import { createReader, MalformedRecord, type Reader } from './reader.ts'
import { createWriter, type Writer } from './writer.ts'

/*
 * The encoding of keys and values that processes exchange. A list is its length and its items; a value is 0 for undefined,
 * or 1, its length and its bytes.
 */

const decoder = new TextDecoder()

const writeValue = (writer: Writer, value: Uint8Array | undefined): void => {
  writer.byte(value === undefined ? 0 : 1)
  if (value !== undefined) writer.blob(value)
}

const readValue = (reader: Reader): Uint8Array | undefined => {
  const kind = reader.byte()
  if (kind > 1) throw new MalformedRecord(`${kind} is not a kind of value`)
  return kind === 0 ? undefined : reader.blob().slice()
}

const readKey = (reader: Reader): string => {
  const bytes = reader.blob()
  if (bytes.some(byte => byte >= 0x80)) throw new MalformedRecord('a key is not ASCII')
  return decoder.decode(bytes)
}

/** Reads a list of at most `countMax` items. @throws MalformedRecord */
const readList = <Item>(reader: Reader, countMax: number, read: (reader: Reader) => Item): Item[] => {
  const count = reader.varint()
  if (count > countMax) throw new MalformedRecord(`a list of ${count} items is longer than ${countMax}`)
  return Array.from({ length: count }, () => read(reader))
}

export const encodeKeys = (keys: readonly string[]): Uint8Array => {
  const writer = createWriter(64 * keys.length + 8)
  writer.varint(keys.length)
  for (const key of keys) writer.ascii(key)
  return writer.finish()
}

/** Reads a list and nothing else. @throws MalformedRecord */
const decodeList = <Item>(bytes: Uint8Array, countMax: number, read: (reader: Reader) => Item): Item[] => {
  const reader = createReader(bytes)
  const items = readList(reader, countMax, read)
  reader.end()
  return items
}

/** @throws MalformedRecord */
export const decodeKeys = (bytes: Uint8Array, countMax: number): string[] =>
  decodeList(bytes, countMax, readKey)

export const encodeValues = (values: readonly (Uint8Array | undefined)[]): Uint8Array => {
  const writer = createWriter(values.reduce((sum, value) => sum + 8 + (value?.length ?? 0), 8))
  writer.varint(values.length)
  for (const value of values) writeValue(writer, value)
  return writer.finish()
}

/** @throws MalformedRecord */
export const decodeValues = (bytes: Uint8Array, countMax: number): (Uint8Array | undefined)[] =>
  decodeList(bytes, countMax, readValue)

/** A conditional write: the entries, and the value that must be under a key. */
export type ConditionalWrite = {
  readonly key: string
  readonly value: Uint8Array | undefined
  readonly entries: readonly KeyValueEntry[]
}

export const encodeWrite = ({ key, value, entries }: ConditionalWrite): Uint8Array => {
  const writer = createWriter(entries.reduce((sum, entry) => sum + 80 + (entry.value?.length ?? 0), 1024))
  writer.ascii(key)
  writeValue(writer, value)
  writer.varint(entries.length)
  for (const entry of entries) {
    writer.ascii(entry.key)
    writeValue(writer, entry.value)
  }
  return writer.finish()
}

/** @throws MalformedRecord */
export const decodeWrite = (bytes: Uint8Array, countMax: number): ConditionalWrite => {
  const reader = createReader(bytes)
  const key = readKey(reader)
  const value = readValue(reader)
  const entries = readList(reader, countMax, item => ({ key: readKey(item), value: readValue(item) }))
  reader.end()
  return { key, value, entries }
}
