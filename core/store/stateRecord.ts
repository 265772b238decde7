import { createReader } from './codec/reader.ts'
import type { ValueCodec } from './codec/stateValues.ts'
import { createWriter } from './codec/writer.ts'
import {
  appendHistory,
  type History,
  type HistoryPage,
  type PastValue,
  readHistory,
  writeHistory,
} from './history.ts'

/**
 * An account or slot as it stands in the views: its value at the head, and behind it the history that only reads of the past
 * decode. Kept as it is stored: decoded, each of tens of thousands in the caches would be some five objects to collect.
 */
export type StateRecord = Uint8Array

const writer = createWriter()

/** The record of what was never written. */
export const absentRecord = <Value>(codec: ValueCodec<Value>): StateRecord => {
  writer.reset()
  codec.write(writer, codec.absent)
  return writer.finish()
}

/** One for all reads of the state, which are many: nothing else runs while a value is decoded. */
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
 * The record with later changes in it, and the history pages that became full by them. A record that a flush before a crash
 * has already brought further keeps its history.
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
