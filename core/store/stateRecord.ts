import { createReader } from './codec/reader.ts'
import type { ValueCodec } from './codec/stateValues.ts'
import { createWriter } from './codec/writer.ts'
import { appendHistory, type HistoryPage, type PastValue, readHistory, writeHistory } from './history.ts'

/** An account or slot as it stands in the views: its value at the head, and behind it the history that only reads of the past decode. */
export type StateRecord<Value> = { readonly value: Value; readonly history: Uint8Array }

const NO_HISTORY = new Uint8Array(0)

export const absentRecord = <Value>(codec: ValueCodec<Value>): StateRecord<Value> => ({
  value: codec.absent,
  history: NO_HISTORY,
})

export const decodeStateRecord = <Value>(bytes: Uint8Array, codec: ValueCodec<Value>): StateRecord<Value> => {
  const reader = createReader(bytes)
  const value = codec.read(reader)
  return { value, history: reader.rest() }
}

const writer = createWriter()

/**
 * The record with later changes in it, and the history pages that became full by them. A record that a flush before a crash
 * has already brought further keeps its history.
 */
export const updateStateRecord = <Value>(
  key: string,
  codec: ValueCodec<Value>,
  record: StateRecord<Value>,
  value: Value,
  changes: readonly PastValue<Value>[],
): {
  readonly record: StateRecord<Value>
  readonly bytes: Uint8Array
  readonly pages: readonly HistoryPage[]
} => {
  writer.reset()
  codec.write(writer, value)
  const valueLength = writer.length
  const { history, pages } = appendHistory(key, codec, readHistory(record.history, codec), changes)
  if (history.levels.length > 0 || history.tail.length > 0) writeHistory(writer, codec, history)
  const bytes = writer.finish()
  return { record: { value, history: bytes.slice(valueLength) }, bytes, pages }
}
