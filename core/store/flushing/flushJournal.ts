import { equalBytes } from '../../bytes/bytes.ts'
import { checkedValue, withChecksum } from '../checksum.ts'
import { createReader, MalformedRecord } from '../codec/reader.ts'
import { createWriter } from '../codec/writer.ts'
import type { KeyValueEntry, KeyValueStore } from '../keyvalue/keyvalue.ts'
import { INTENT_KEY, journalKey } from '../keys.ts'
import { JOURNAL_CHUNK_BYTES } from '../limits.ts'
import { type FlushedHeight, readFlushedHeightFields, writeFlushedHeightFields } from './flushedHeight.ts'

/*
 * A flush overwrites values of the old flushed height with values of the new one; a stop in between would leave a mixture.
 * The flush therefore first writes all its entries to a journal, in chunks, and then an intent, which completes the
 * journal. A start that finds the intent of an unfinished flush writes the journal to the views, which brings them to the
 * new height. Without a complete journal the views were not touched and have the old height.
 */

/** The intent of a flush: to bring the views to this height. */
type Intent = { readonly flushedHeight: FlushedHeight; readonly chunks: number }

const decoder = new TextDecoder()

/** Estimated bytes per entry of the list: above the key of an account or trie record, below the key of a slot. */
const ENTRY_BYTES = 80

const NO_VALUE = 0
const HAS_VALUE = 1

/**
 * A chunk is the list of its keys and value lengths, with a checksum, and then the values. The values have their own
 * checksums: hashing each again would cost as much as the rest of the flush.
 */
const encodeChunk = (
  key: string,
  flushedHeight: FlushedHeight,
  index: number,
  entries: readonly KeyValueEntry[],
): Uint8Array => {
  const list = createWriter(ENTRY_BYTES * entries.length + 64)
  list.raw(flushedHeight.hash)
  list.varint(flushedHeight.sequence)
  list.varint(index)
  let valueBytes = 0
  for (const { key: name, value } of entries) {
    list.ascii(name)
    list.byte(value === undefined ? NO_VALUE : HAS_VALUE)
    if (value === undefined) continue
    list.varint(value.length)
    valueBytes += value.length
  }
  const chunk = createWriter(list.length + valueBytes + 32)
  chunk.blob(withChecksum(key, list.finish()))
  for (const { value } of entries) if (value !== undefined) chunk.raw(value)
  return chunk.finish()
}

/** The entries of a chunk with verified values; undefined when the chunk is incomplete or from an earlier flush. */
const decodeChunk = (
  key: string,
  flushedHeight: FlushedHeight,
  index: number,
  bytes: Uint8Array,
): readonly KeyValueEntry[] | undefined => {
  const chunk = createReader(bytes)
  const checked = checkedValue(key, chunk.blob())
  if (checked === undefined) return undefined
  const list = createReader(checked)
  if (
    !equalBytes(list.raw(32), flushedHeight.hash) ||
    list.varint() !== flushedHeight.sequence ||
    list.varint() !== index
  )
    return undefined
  const entries: KeyValueEntry[] = []
  while (!list.done) {
    const name = decoder.decode(list.blob())
    const value = list.byte() === NO_VALUE ? undefined : chunk.copy(list.varint())
    if (value !== undefined && checkedValue(name, value) === undefined) return undefined
    entries.push({ key: name, value })
  }
  return entries
}

/**
 * Writes the journal of these entries, which are in their stored form; a sync makes it durable. Returns the number of
 * chunks.
 */
export const writeJournal = async (
  kv: KeyValueStore,
  flushedHeight: FlushedHeight,
  entries: readonly KeyValueEntry[],
): Promise<number> => {
  let chunks = 0
  let chunk: KeyValueEntry[] = []
  let bytes = 0
  const put = async (): Promise<void> => {
    const key = journalKey(chunks)
    await kv.set([{ key, value: encodeChunk(key, flushedHeight, chunks, chunk) }])
    await kv.pause()
    chunks++
    chunk = []
    bytes = 0
  }
  for (const entry of entries) {
    chunk.push(entry)
    bytes += entry.key.length + (entry.value?.length ?? 0)
    if (bytes >= JOURNAL_CHUNK_BYTES) await put()
  }
  if (chunk.length > 0) await put()
  const writer = createWriter()
  writeFlushedHeightFields(writer, flushedHeight)
  writer.varint(chunks)
  await kv.set([{ key: INTENT_KEY, value: withChecksum(INTENT_KEY, writer.finish()) }])
  return chunks
}

/** Removes the chunks of a journal whose height is durable; the intent stays, and identifies that height. */
export const clearJournal = async (kv: KeyValueStore, chunks: number): Promise<void> => {
  for (let index = 0; index < chunks; index++) {
    await kv.set([{ key: journalKey(index), value: undefined }])
    await kv.pause()
  }
}

/** The intent of the last flush; undefined when it is missing or incomplete, and the views were then not touched. */
export const readIntent = async (kv: KeyValueStore): Promise<Intent | undefined> => {
  const stored = await kv.get(INTENT_KEY)
  const bytes = checkedValue(INTENT_KEY, stored)
  if (bytes === undefined) return undefined
  const reader = createReader(bytes)
  const intent = { flushedHeight: readFlushedHeightFields(reader), chunks: reader.varint() }
  reader.end()
  return intent
}

const readChunk = async (
  kv: KeyValueStore,
  { flushedHeight }: Intent,
  index: number,
): Promise<readonly KeyValueEntry[] | undefined> => {
  const key = journalKey(index)
  const bytes = await kv.get(key)
  if (bytes === undefined) return undefined
  try {
    return decodeChunk(key, flushedHeight, index, bytes)
  } catch (error) {
    // A torn chunk: a length points past its end.
    if (error instanceof MalformedRecord) return undefined
    throw error
  }
}

/** Writes the intent's journal into the views. Returns false, with nothing written, when the journal is incomplete. */
export const replayJournal = async (kv: KeyValueStore, intent: Intent): Promise<boolean> => {
  for (let index = 0; index < intent.chunks; index++)
    if ((await readChunk(kv, intent, index)) === undefined) return false
  for (let index = 0; index < intent.chunks; index++) {
    const entries = await readChunk(kv, intent, index)
    if (entries === undefined) return false
    await kv.set(entries)
  }
  return true
}
