import { checkedValue, withChecksum } from '../checksum.ts'
import { createReader } from '../codec/reader.ts'
import { createWriter } from '../codec/writer.ts'
import type { KeyValueStore } from '../keyvalue.ts'
import { logMarkKey } from '../keys.ts'

/** Stands first in the mark; an index of another version counts as none and is made again. */
const LOG_INDEX_VERSION = 1

/** Two in turn, so that a torn one leaves the one before. */
const SLOTS = 2

/** How many sections of the log index are stored whole, from the first. */
export type LogMark = {
  readonly sections: number
  /** Where the next one is to be written. */
  readonly slot: number
}

/** The last mark that was written whole, or that of an index with nothing in it. */
export const readLogMark = async (kv: KeyValueStore): Promise<LogMark> => {
  let found: LogMark = { sections: 0, slot: 0 }
  for (let slot = 0; slot < SLOTS; slot++) {
    const key = logMarkKey(slot)
    const stored = await kv.get(key)
    const bytes = stored === undefined ? undefined : checkedValue(key, stored)
    if (bytes === undefined) continue
    const reader = createReader(bytes)
    if (reader.byte() !== LOG_INDEX_VERSION) continue
    const sections = reader.varint()
    if (sections > found.sections) found = { sections, slot: (slot + 1) % SLOTS }
  }
  return found
}

/** To be called when the sections are durable; the mark itself need not be. Gives the mark that comes next. */
export const writeLogMark = async (kv: KeyValueStore, { sections, slot }: LogMark): Promise<LogMark> => {
  const writer = createWriter(16)
  writer.byte(LOG_INDEX_VERSION)
  writer.varint(sections)
  const key = logMarkKey(slot)
  await kv.set([{ key, value: withChecksum(key, writer.finish()) }])
  return { sections, slot: (slot + 1) % SLOTS }
}
