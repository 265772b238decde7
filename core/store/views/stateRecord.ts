import { createReader } from '../codec/reader.ts'
import type { ValueCodec } from '../codec/stateValues.ts'
import { createWriter } from '../codec/writer.ts'
import {
  appendHistory,
  type History,
  type HistoryPage,
  type PastValue,
  readHistory,
  trimHistory,
  writeHistory,
} from './valueHistory.ts'

/**
 * An account or slot in the views: its value at the head, then its history, which is decoded only for reads of earlier
 * blocks. Caches keep the stored form: decoded, each of tens of thousands would be five objects for the garbage collector.
 */
export type StateRecord = Uint8Array

const writer = createWriter()

/** The record of a key that was never written. */
export const absentRecord = <Value>(codec: ValueCodec<Value>): StateRecord => {
  writer.reset()
  codec.write(writer, codec.absent)
  return writer.finish()
}

/** Shared by all state reads, because a value is decoded synchronously. */
const valueReader = createReader(new Uint8Array(0))

export const valueOfRecord = <Value>(record: StateRecord, codec: ValueCodec<Value>): Value => {
  valueReader.reset(record)
  return codec.read(valueReader)
}

export const historyOfRecord = <Value>(record: StateRecord, codec: ValueCodec<Value>): History<Value> => {
  const reader = createReader(record)
  codec.read(reader)
  return readHistory(reader.rest(), codec)
}

const encodeRecord = <Value>(
  codec: ValueCodec<Value>,
  value: Value,
  history: History<Value>,
): StateRecord => {
  writer.reset()
  codec.write(writer, value)
  if (history.levels.length > 0 || history.tail.length > 0) writeHistory(writer, codec, history)
  return writer.finish()
}

/**
 * Returns the record with later changes, and the history pages that they filled. If a flush before a crash already updated
 * the record, its history stays as it is.
 * @param start the changes of earlier blocks are left out, as far as they are in no page
 */
export const updateStateRecord = <Value>(
  key: string,
  codec: ValueCodec<Value>,
  record: StateRecord,
  value: Value,
  changes: readonly PastValue<Value>[],
  start: number,
): { readonly record: StateRecord; readonly pages: readonly HistoryPage[] } => {
  const kept = trimHistory(historyOfRecord(record, codec), start)
  const { history, pages } = appendHistory(key, codec, kept, changes)
  return { record: encodeRecord(codec, value, history), pages }
}

/** The record without the changes before block `start` that are in no page; undefined if it has none. */
export const trimStateRecord = <Value>(
  codec: ValueCodec<Value>,
  record: StateRecord,
  history: History<Value>,
  start: number,
): StateRecord | undefined => {
  const trimmed = trimHistory(history, start)
  return trimmed === history ? undefined : encodeRecord(codec, valueOfRecord(record, codec), trimmed)
}
