import type { Hash } from '../bytes/bytes.ts'
import { checkedValue, withChecksum } from './checksum.ts'
import { createReader, MalformedRecord, type Reader } from './codec/reader.ts'
import { createWriter, type Writer } from './codec/writer.ts'
import type { KeyValueStore } from './keyvalue.ts'
import { markKey } from './keys.ts'

/** Stands first in the mark; views of another version are refused. */
const VIEWS_VERSION = 1
/** Two in turn, so that a torn one leaves the one before. */
const MARK_SLOTS = 2

/** The views hold every block up to `number`, and nothing of them is missing. */
export type Mark = {
  readonly number: number
  readonly hash: Hash
  readonly genesisHash: Hash
  /** Counts flushes, from 1. */
  readonly sequence: number
}

export const writeMarkFields = (writer: Writer, { number, hash, genesisHash, sequence }: Mark): void => {
  writer.byte(VIEWS_VERSION)
  writer.varint(number)
  writer.varint(sequence)
  writer.raw(hash)
  writer.raw(genesisHash)
}

/** @throws MalformedRecord on another version. */
export const readMarkFields = (reader: Reader): Mark => {
  const version = reader.byte()
  if (version !== VIEWS_VERSION)
    throw new MalformedRecord(
      `views of version ${version} are not known here (this is version ${VIEWS_VERSION})`,
    )
  const number = reader.varint()
  const sequence = reader.varint()
  return { number, sequence, hash: reader.copy(32), genesisHash: reader.copy(32) }
}

export const writeMark = async (kv: KeyValueStore, mark: Mark): Promise<void> => {
  const writer = createWriter(80)
  writeMarkFields(writer, mark)
  const key = markKey(mark.sequence % MARK_SLOTS)
  await kv.set([{ key, value: withChecksum(key, writer.finish()) }])
}

/** The last mark that was written whole; `damaged` is the key of one that cannot be read. */
export const readMark = async (
  kv: KeyValueStore,
): Promise<{ readonly mark: Mark | undefined; readonly damaged: string | undefined }> => {
  let mark: Mark | undefined
  let damaged: string | undefined
  for (let slot = 0; slot < MARK_SLOTS; slot++) {
    const key = markKey(slot)
    const stored = await kv.get(key)
    if (stored === undefined) continue
    const bytes = checkedValue(key, stored)
    if (bytes === undefined) damaged = key
    else {
      const found = readMarkFields(createReader(bytes))
      if (mark === undefined || found.sequence > mark.sequence) mark = found
    }
  }
  return { mark, damaged }
}
