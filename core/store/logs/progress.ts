import { checkedValue, withChecksum } from '../checksum.ts'
import { createReader } from '../codec/reader.ts'
import { createWriter } from '../codec/writer.ts'
import type { KeyValueStore } from '../keyvalue.ts'
import { logProgressKey } from '../keys.ts'

/** Stands first in the progress; an index of another version counts as none and is made again. */
const LOG_INDEX_VERSION = 1

/** Two in turn, so that a torn one leaves the one before. */
const SLOTS = 2

/** How many sections of the log index are stored whole, from the first. */
export type LogProgress = {
  readonly sections: number
  /** Where the next one is to be written. */
  readonly slot: number
}

/** The last progress that was written whole, or that of an index with nothing in it. */
export const readLogProgress = async (kv: KeyValueStore): Promise<LogProgress> => {
  let found: LogProgress = { sections: 0, slot: 0 }
  for (let slot = 0; slot < SLOTS; slot++) {
    const key = logProgressKey(slot)
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

/** To be called when the sections are durable; the progress itself need not be. Gives the progress that comes next. */
export const writeLogProgress = async (
  kv: KeyValueStore,
  { sections, slot }: LogProgress,
): Promise<LogProgress> => {
  const writer = createWriter(16)
  writer.byte(LOG_INDEX_VERSION)
  writer.varint(sections)
  const key = logProgressKey(slot)
  await kv.set([{ key, value: withChecksum(key, writer.finish()) }])
  return { sections, slot: (slot + 1) % SLOTS }
}
