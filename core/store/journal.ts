import { equalBytes } from '../bytes/bytes.ts'
import { checkedValue, withChecksum } from './checksum.ts'
import { createReader } from './codec/reader.ts'
import { createWriter } from './codec/writer.ts'
import type { KeyValueEntry, KeyValueStore } from './keyvalue.ts'
import { INTENT_KEY, journalKey } from './keys.ts'
import { JOURNAL_CHUNK_BYTES } from './limits.ts'
import { type Mark, readMarkFields, writeMarkFields } from './mark.ts'

/*
 * A flush overwrites values of the old mark with values of the new one, and a stop in the middle would leave neither.
 * Therefore it first writes all it is going to write, its journal, in chunks under keys that are used again by every
 * flush, and then an intent that completes it. A start that finds the intent of an unfinished flush writes the journal
 * again and has the views of the new mark; without a whole journal the views were not touched and are those of the old one.
 */

/** What a flush was going to do: bring the views to this mark. */
export type Intent = { readonly mark: Mark; readonly chunks: number }

const encoder = new TextEncoder()
const decoder = new TextDecoder()

/** Writes the journal of these entries, as they will be stored; durable only after a sync. */
export const writeJournal = async (
  kv: KeyValueStore,
  mark: Mark,
  entries: readonly KeyValueEntry[],
): Promise<void> => {
  const writer = createWriter(JOURNAL_CHUNK_BYTES)
  let chunks = 0
  const begin = (): void => {
    writer.reset()
    writer.raw(mark.hash)
    writer.varint(mark.sequence)
    writer.varint(chunks)
  }
  const put = async (): Promise<void> => {
    const key = journalKey(chunks)
    await kv.set([{ key, value: withChecksum(key, writer.finish()) }])
    chunks++
    begin()
  }
  begin()
  for (const { key, value } of entries) {
    writer.blob(encoder.encode(key))
    writer.byte(value === undefined ? 0 : 1)
    if (value !== undefined) writer.blob(value)
    if (writer.length >= JOURNAL_CHUNK_BYTES) await put()
  }
  await put()
  writer.reset()
  writeMarkFields(writer, mark)
  writer.varint(chunks)
  await kv.set([{ key: INTENT_KEY, value: withChecksum(INTENT_KEY, writer.finish()) }])
}

/** The intent of the last flush; undefined when there is none or it was not written whole, so that nothing was done of it. */
export const readIntent = async (kv: KeyValueStore): Promise<Intent | undefined> => {
  const stored = await kv.get(INTENT_KEY)
  const bytes = stored === undefined ? undefined : checkedValue(INTENT_KEY, stored)
  if (bytes === undefined) return undefined
  const reader = createReader(bytes)
  return { mark: readMarkFields(reader), chunks: reader.varint() }
}

const readChunk = async (
  kv: KeyValueStore,
  { mark }: Intent,
  index: number,
): Promise<readonly KeyValueEntry[] | undefined> => {
  const key = journalKey(index)
  const stored = await kv.get(key)
  const bytes = stored === undefined ? undefined : checkedValue(key, stored)
  if (bytes === undefined) return undefined
  const reader = createReader(bytes)
  // A chunk of an earlier flush: the one that should stand here was lost.
  if (!equalBytes(reader.raw(32), mark.hash)) return undefined
  if (reader.varint() !== mark.sequence || reader.varint() !== index) return undefined
  const entries: KeyValueEntry[] = []
  while (!reader.done) {
    const name = decoder.decode(reader.blob())
    entries.push({ key: name, value: reader.byte() === 0 ? undefined : reader.blob().slice() })
  }
  return entries
}

/** Writes everything in the intent's journal into the views. False, and nothing written, when the journal is not whole. */
export const redoJournal = async (kv: KeyValueStore, intent: Intent): Promise<boolean> => {
  for (let index = 0; index < intent.chunks; index++)
    if ((await readChunk(kv, intent, index)) === undefined) return false
  for (let index = 0; index < intent.chunks; index++) {
    const entries = await readChunk(kv, intent, index)
    if (entries === undefined) return false
    await kv.set(entries)
  }
  return true
}
