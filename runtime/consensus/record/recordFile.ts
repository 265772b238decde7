import {
  closeSync,
  existsSync,
  fdatasync,
  fsyncSync,
  ftruncate,
  mkdirSync,
  openSync,
  readFileSync,
  write,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { concatBytes, equalBytes } from '../../../core/bytes/bytes.ts'
import { keccak256 } from '../../../core/crypto/crypto.ts'
import type { KeyValueStore } from '../../../core/store/keyvalue.ts'
import { type RecordOwner, validatorFolder } from './validatorFolder.ts'

/** Where a validator keeps the record of what it signed. */
export type RecordPlace = {
  /** The newest record that is whole; `isDamaged` when a newer one may have been lost. */
  read(): Promise<{ readonly bytes: Uint8Array | undefined; readonly isDamaged: boolean }>
  /** Replaces the record; resolves when the new one is durable. @throws what the place throws */
  write(bytes: Uint8Array): Promise<void>
  close(): Promise<void>
}

/** Beside the keys of the chain (core/store/keys.ts), where releases before the record file kept the record. */
export const RECORD_KEY = 'qbft:record'

/** Records alternate between two files, so that a write that is cut short leaves the record before it whole. */
const SLOT_FILES = ['record.0', 'record.1'] as const

const COUNTER_BYTES = 8
const CHECKSUM_BYTES = 8
const HEADER_BYTES = CHECKSUM_BYTES + COUNTER_BYTES
/** Of the record itself: its version and the checksum over all of it, which the header's checksum thus covers. */
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
  | { readonly kind: 'whole'; readonly counter: bigint; readonly record: Uint8Array }

/** The file of a record by its counter. */
const slotOf = (counter: bigint): number => Number(counter % BigInt(SLOT_FILES.length))

/**
 * A file that was copied from the other one, or from another validator, counts as damaged.
 * @param isWhole tells a record that was written to its end from one that was not
 */
const readSlot = (
  path: string,
  index: number,
  owner: RecordOwner,
  isWhole: (record: Uint8Array) => boolean,
): Slot => {
  const bytes = existsSync(path) ? new Uint8Array(readFileSync(path)) : new Uint8Array(0)
  if (bytes.length === 0) return { kind: 'empty' }
  if (bytes.length < HEADER_BYTES) return { kind: 'damaged' }
  const counter = new DataView(bytes.buffer, bytes.byteOffset).getBigUint64(CHECKSUM_BYTES)
  const record = bytes.slice(HEADER_BYTES)
  const isOf = (of: RecordOwner | undefined): boolean =>
    equalBytes(headerOf(counter, record, of), bytes.subarray(0, HEADER_BYTES))
  const isRight = (isOf(owner) || isOf(undefined)) && slotOf(counter) === index && isWhole(record)
  return isRight ? { kind: 'whole', counter, record } : { kind: 'damaged' }
}

const counterOf = (slot: Slot): bigint => (slot.kind === 'whole' ? slot.counter : 0n)

/** Off the main thread: a sync takes as long as the disk does. */
const writeWhole = (file: number, bytes: Uint8Array): Promise<void> =>
  new Promise((resolve, reject) => {
    const sync = (): void =>
      fdatasync(file, error => {
        if (error === null) resolve()
        else reject(error)
      })
    const cut = (): void =>
      ftruncate(file, bytes.length, error => {
        if (error === null) sync()
        else reject(error)
      })
    const writeFrom = (from: number): void =>
      write(file, bytes, from, bytes.length - from, from, (error, written) => {
        if (error !== null) reject(error)
        else if (from + written < bytes.length) writeFrom(from + written)
        else cut()
      })
    writeFrom(0)
  })

const syncFolder = (path: string): void => {
  const folder = openSync(path, 'r')
  try {
    fsyncSync(folder)
  } finally {
    closeSync(folder)
  }
}

/** Makes the file when it is not there; never empties it. */
const openSlot = (path: string): number => openSync(path, existsSync(path) ? 'r+' : 'w+')

const openSlots = (dataPath: string, folder: string): readonly number[] => {
  mkdirSync(folder, { recursive: true })
  const files = SLOT_FILES.map(name => openSlot(join(folder, name)))
  // The names last when the folders do that they stand in.
  for (const path of [folder, dirname(folder), dataPath]) syncFolder(path)
  return files
}

/**
 * The record in files of its own in the data path, whatever `--storage` says: who deletes or restores the chain or its views
 * leaves the record alone. Made by the first write. Each write is synced before it resolves.
 * @param isWhole whether the bytes are a record that was written to its end
 */
export const openRecordFile = (
  dataPath: string,
  owner: RecordOwner,
  isWhole: (record: Uint8Array) => boolean,
): RecordPlace => {
  const folder = validatorFolder(dataPath, owner)
  const slots = SLOT_FILES.map((name, index) => readSlot(join(folder, name), index, owner, isWhole))
  const newest = slots.reduce((best, slot) => (counterOf(slot) > counterOf(best) ? slot : best))
  let counter = counterOf(newest)
  /** From the second record on both files hold one. */
  const isDamaged =
    slots.some(({ kind }) => kind === 'damaged') ||
    (counter > 1n && slots.some(({ kind }) => kind === 'empty'))
  let files: readonly number[] | undefined
  let writing: Promise<void> = Promise.resolve()

  return {
    read: async () => ({ bytes: newest.kind === 'whole' ? newest.record : undefined, isDamaged }),
    write: record => {
      const done = writing.then(async () => {
        files ??= openSlots(dataPath, folder)
        // The other file than that of the newest whole record; one that could not be written is written again.
        const next = counter + 1n
        const bytes = concatBytes(headerOf(next, record, owner), record)
        await writeWhole(files[slotOf(next)] as number, bytes)
        counter = next
      })
      writing = done.catch(() => undefined)
      return done
    },
    close: async () => {
      await writing
      for (const file of files ?? []) closeSync(file)
      files = undefined
    },
  }
}

/** The record among the keys of the storage: where the storage ends with the process, what was signed may end with it, too. */
export const recordInStorage = (storage: Pick<KeyValueStore, 'get' | 'setDurably'>): RecordPlace => ({
  read: async () => ({ bytes: await storage.get(RECORD_KEY), isDamaged: false }),
  write: value => storage.setDurably({ key: RECORD_KEY, value }),
  close: () => Promise.resolve(),
})
