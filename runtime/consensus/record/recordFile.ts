import { syncFolder } from '../../files/atomic.ts'
import {
  closeSync,
  existsSync,
  fdatasync,
  fstatSync,
  ftruncate,
  mkdirSync,
  openSync,
  readFileSync,
  write,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { concatBytes, equalBytes } from '../../../core/bytes/bytes.ts'
import { keccak256 } from '../../../core/crypto/crypto.ts'
import { firstRawItem } from '../../../core/rlp/rawItem.ts'
import { RlpError } from '../../../core/rlp/rlp.ts'
import type { KeyValueStore } from '../../../core/store/keyvalue/keyvalue.ts'
import { type RecordOwner, validatorFolder } from './validatorFolder.ts'

/** Storage of the record of signed messages. */
export type RecordStorage = {
  /** The newest complete record; `isDamaged` if a newer one may have been lost. */
  read(): Promise<{ readonly bytes: Uint8Array | undefined; readonly isDamaged: boolean }>
  /** Replaces the record; resolves when the new one is durable. @throws the error of the file system or storage */
  write(bytes: Uint8Array): Promise<void>
  close(): Promise<void>
}

/** Storage key beside those of the chain (core/store/keys.ts), used by releases before the record file. */
export const RECORD_KEY = 'qbft:record'

/**
 * A file that is longer than this is shortened to its record. Others keep their length: each change of it makes the sync write
 * the journal of the file system, too, which takes a third longer, twice between a proposal and its commit.
 */
const KEPT_LENGTH_MAX = 1024 * 1024

/** Records alternate between two files, so that an interrupted write leaves the previous record complete. */
const SLOT_FILES = ['record.0', 'record.1'] as const

const COUNTER_BYTES = 8
const CHECKSUM_BYTES = 8
const HEADER_BYTES = CHECKSUM_BYTES + COUNTER_BYTES
/** First bytes of the record: its version and its checksum. The header's checksum covers them, and so the whole record. */
const RECORD_HEAD_BYTES = 9

/** `owner` is undefined in files of earlier releases. */
const headerOf = (counter: bigint, record: Uint8Array, owner: RecordOwner | undefined): Uint8Array => {
  const counted = new Uint8Array(COUNTER_BYTES)
  new DataView(counted.buffer).setBigUint64(0, counter)
  const owned = owner === undefined ? [] : [owner.address, owner.genesisHash]
  const checksum = keccak256(concatBytes(counted, record.subarray(0, RECORD_HEAD_BYTES), ...owned))
  return concatBytes(checksum.subarray(0, CHECKSUM_BYTES), counted)
}

type Slot =
  | { readonly kind: 'empty' | 'damaged' }
  | { readonly kind: 'complete'; readonly counter: bigint; readonly record: Uint8Array }

/** The index of the file for a record with this counter. */
const slotOf = (counter: bigint): number => Number(counter % BigInt(SLOT_FILES.length))

/** The record at the beginning of these bytes, without the end of a longer one that it replaced: files keep their length. */
const firstRecord = (bytes: Uint8Array): Uint8Array => {
  try {
    const { length } = firstRawItem(bytes.subarray(RECORD_HEAD_BYTES))
    return bytes.slice(0, RECORD_HEAD_BYTES + length)
  } catch (error) {
    if (error instanceof RlpError) return bytes.slice()
    throw error
  }
}

/**
 * Reads one file. A copy of the other file, or of another validator's, counts as damaged.
 * @param isComplete returns whether the bytes are a completely written record
 */
const readSlot = (
  path: string,
  index: number,
  owner: RecordOwner,
  isComplete: (record: Uint8Array) => boolean,
): Slot => {
  const bytes = existsSync(path) ? new Uint8Array(readFileSync(path)) : new Uint8Array(0)
  if (bytes.length === 0) return { kind: 'empty' }
  if (bytes.length < HEADER_BYTES) return { kind: 'damaged' }
  const counter = new DataView(bytes.buffer, bytes.byteOffset).getBigUint64(CHECKSUM_BYTES)
  const record = firstRecord(bytes.subarray(HEADER_BYTES))
  const isWrittenBy = (writer: RecordOwner | undefined): boolean =>
    equalBytes(headerOf(counter, record, writer), bytes.subarray(0, HEADER_BYTES))
  const isValid =
    (isWrittenBy(owner) || isWrittenBy(undefined)) && slotOf(counter) === index && isComplete(record)
  return isValid ? { kind: 'complete', counter, record } : { kind: 'damaged' }
}

const counterOf = (slot: Slot): bigint => (slot.kind === 'complete' ? slot.counter : 0n)

type File = { readonly descriptor: number; length: number }

/** Writes and syncs on another thread: a sync takes as long as the disk does. */
const writeAndSync = (opened: File, bytes: Uint8Array): Promise<void> =>
  new Promise((resolve, reject) => {
    const file = opened.descriptor
    opened.length = Math.max(opened.length, bytes.length)
    const sync = (): void =>
      fdatasync(file, error => {
        if (error === null) resolve()
        else reject(error)
      })
    const shorten = (): void =>
      ftruncate(file, bytes.length, error => {
        if (error !== null) return reject(error)
        opened.length = bytes.length
        sync()
      })
    const writeFrom = (from: number): void =>
      write(file, bytes, from, bytes.length - from, from, (error, written) => {
        if (error !== null) reject(error)
        else if (from + written < bytes.length) writeFrom(from + written)
        else if (opened.length > Math.max(KEPT_LENGTH_MAX, bytes.length)) shorten()
        else sync()
      })
    writeFrom(0)
  })

/** Creates a missing file; never truncates an existing one. */
const openSlot = (path: string): File => {
  const descriptor = openSync(path, existsSync(path) ? 'r+' : 'w+')
  return { descriptor, length: fstatSync(descriptor).size }
}

const openSlots = (dataPath: string, folder: string): readonly File[] => {
  mkdirSync(folder, { recursive: true })
  const files = SLOT_FILES.map(name => openSlot(join(folder, name)))
  // A created file or folder is durable when its parent folder is synced.
  for (const path of [folder, dirname(folder), dataPath]) syncFolder(path)
  return files
}

/**
 * Opens the record in its own files in the data path, independent of `--storage`, so that it stays when an operator deletes
 * or restores the chain. The first write creates the files. Each write is synced before it resolves.
 * @param isComplete returns whether the bytes are a completely written record
 */
export const openRecordFile = (
  dataPath: string,
  owner: RecordOwner,
  isComplete: (record: Uint8Array) => boolean,
): RecordStorage => {
  const folder = validatorFolder(dataPath, owner)
  const slots = SLOT_FILES.map((name, index) => readSlot(join(folder, name), index, owner, isComplete))
  const newest = slots.reduce((best, slot) => (counterOf(slot) > counterOf(best) ? slot : best))
  let counter = counterOf(newest)
  /** From the second record on, both files contain a record. */
  const isDamaged =
    slots.some(({ kind }) => kind === 'damaged') ||
    (counter > 1n && slots.some(({ kind }) => kind === 'empty'))
  let files: readonly File[] | undefined
  let writing: Promise<void> = Promise.resolve()

  return {
    read: async () => ({ bytes: newest.kind === 'complete' ? newest.record : undefined, isDamaged }),
    write: record => {
      const done = writing.then(async () => {
        files ??= openSlots(dataPath, folder)
        // Never the file of the newest complete record; a failed write is repeated in the same file.
        const next = counter + 1n
        const bytes = concatBytes(headerOf(next, record, owner), record)
        await writeAndSync(files[slotOf(next)] as File, bytes)
        counter = next
      })
      writing = done.catch(() => undefined)
      return done
    },
    close: async () => {
      await writing
      for (const { descriptor } of files ?? []) closeSync(descriptor)
      files = undefined
    },
  }
}

/** The record in the storage of the chain, for a storage that ends with the process. */
export const recordInStorage = (storage: Pick<KeyValueStore, 'get' | 'setDurably'>): RecordStorage => ({
  read: async () => ({ bytes: await storage.get(RECORD_KEY), isDamaged: false }),
  write: value => storage.setDurably({ key: RECORD_KEY, value }),
  close: () => Promise.resolve(),
})
