import { createReader } from '../codec/reader.ts'
import type { ValueCodec } from '../codec/stateValues.ts'
import { createWriter } from '../codec/writer.ts'
import {
  appendHistory,
  type History,
  type HistoryPage,
  type PastValue,
  readHistory,
  writeHistory,
} from './history.ts'

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

/**
 * Returns the record with later changes, and the history pages that they filled. If a flush before a crash already updated
 * the record, its history stays as it is.
 */
export const updateStateRecord = <Value>(
  key: string,
  codec: ValueCodec<Value>,
  record: StateRecord,
  value: Value,
  changes: readonly PastValue<Value>[],
): { readonly record: StateRecord; readonly pages: readonly HistoryPage[] } => {
  writer.reset()
  codec.write(writer, value)
  const { history, pages } = appendHistory(key, codec, historyOfRecord(record, codec), changes)
  if (history.levels.length > 0 || history.tail.length > 0) writeHistory(writer, codec, history)
  return { record: writer.finish(), pages }
}
