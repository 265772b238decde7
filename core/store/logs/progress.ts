import { checkedValue, withChecksum } from '../checksum.ts'
import { createReader } from '../codec/reader.ts'
import { createWriter } from '../codec/writer.ts'
import type { KeyValueStore } from '../keyvalue/keyvalue.ts'
import { logProgressKey } from '../keys.ts'

/** First byte of the stored progress. An index of another version is ignored and built again. */
const LOG_INDEX_VERSION = 1

/** Two slots, written alternately: a torn write leaves the previous progress. */
const SLOTS = 2

/** The number of complete sections and groups of the log index, from the first. */
export type LogProgress = {
  readonly sections: number
  readonly groups: number
  /** The slot to write next. */
  readonly slot: number
}

/** The last complete progress, or the progress of an empty index. */
export const readLogProgress = async (kv: KeyValueStore): Promise<LogProgress> => {
  let found: LogProgress = { sections: 0, groups: 0, slot: 0 }
  for (let slot = 0; slot < SLOTS; slot++) {
    const key = logProgressKey(slot)
    const stored = await kv.get(key)
    const bytes = checkedValue(key, stored)
    if (bytes === undefined) continue
    const reader = createReader(bytes)
    if (reader.byte() !== LOG_INDEX_VERSION) continue
    const sections = reader.varint()
    // Earlier releases made no groups.
    const groups = reader.done ? 0 : reader.varint()
    if (sections + groups > found.sections + found.groups)
      found = { sections, groups, slot: (slot + 1) % SLOTS }
  }
  return found
}

/** Writes the progress, of sections and groups that are durable. Returns the progress with the next slot. */
export const writeLogProgress = async (
  kv: KeyValueStore,
  { sections, groups, slot }: LogProgress,
): Promise<LogProgress> => {
  const writer = createWriter(16)
  writer.byte(LOG_INDEX_VERSION)
  writer.varint(sections)
  writer.varint(groups)
  const key = logProgressKey(slot)
  await kv.set([{ key, value: withChecksum(key, writer.finish()) }])
  return { sections, groups, slot: (slot + 1) % SLOTS }
}
