import { isZeroBytes } from '../bytes/bytes.ts'
import type { AccountState } from './accountState.ts'
import { readsStorage } from './accountState.ts'
import type { ExecutionState } from './executionState.ts'
import { SLOT_HELD_BYTES } from './heldBytes.ts'
import { record, recordSlot, UNDO_STORAGE, UNDO_WARM_SLOT } from './undoLog.ts'
import { copyWord, equalWords, isZeroWord, readLimbs, writeLimb } from './limbs.ts'
import type { StorageTable } from './storageTable.ts'
import {
  createStorageTable,
  findSlot,
  insertSlot,
  SLOT_CURRENT,
  SLOT_JOURNALED,
  SLOT_LOADED,
  SLOT_ORIGINAL,
  SLOT_WARM,
  SLOT_WRITTEN,
  slotData,
  slotStart,
} from './storageTable.ts'

export const storageOf = (account: AccountState): StorageTable => {
  account.storage ??= createStorageTable()
  return account.storage
}

/** The id in `storageOf(account)` of the slot with these key limbs; read at first use. */
export const slotOfLimbs = (
  state: ExecutionState,
  account: AccountState,
  k0: number,
  k1: number,
  k2: number,
  k3: number,
  k4: number,
  k5: number,
  k6: number,
  k7: number,
): number => {
  const table = storageOf(account)
  const found = findSlot(table, k0, k1, k2, k3, k4, k5, k6, k7)
  if (found >= 0) return found
  // Read before the slot is inserted, because a reader that throws must not leave a slot with the value zero.
  const value = readsStorage(account)
    ? state.reader.storage(
        account.address,
        account.loaded as NonNullable<AccountState['loaded']>,
        bytesOfLimbs(k0, k1, k2, k3, k4, k5, k6, k7),
      )
    : undefined
  const id = insertSlot(table, found, k0, k1, k2, k3, k4, k5, k6, k7)
  state.heldBytes += SLOT_HELD_BYTES
  if (value !== undefined && !isZeroBytes(value)) {
    const data = slotData(table, id)
    const at = slotStart(id)
    readLimbs(value, data, at + SLOT_LOADED)
    copyWord(data, at + SLOT_LOADED, data, at + SLOT_CURRENT)
  }
  return id
}

const bytesOfLimbs = (
  k0: number,
  k1: number,
  k2: number,
  k3: number,
  k4: number,
  k5: number,
  k6: number,
  k7: number,
): Uint8Array => {
  const bytes = new Uint8Array(32)
  writeLimb(bytes, 0, k7)
  writeLimb(bytes, 4, k6)
  writeLimb(bytes, 8, k5)
  writeLimb(bytes, 12, k4)
  writeLimb(bytes, 16, k3)
  writeLimb(bytes, 20, k2)
  writeLimb(bytes, 24, k1)
  writeLimb(bytes, 28, k0)
  return bytes
}

const key = new Int32Array(8)

/** As `slotOfLimbs`, by the 32 bytes of the key. */
export const slotOfBytes = (state: ExecutionState, account: AccountState, slot: Uint8Array): number => {
  readLimbs(slot, key, 0)
  const [k0, k1, k2, k3, k4, k5, k6, k7] = key as unknown as Limbs
  return slotOfLimbs(state, account, k0, k1, k2, k3, k4, k5, k6, k7)
}

type Limbs = readonly [number, number, number, number, number, number, number, number]

/** Warms the slot; returns true if it was warm already (EIP-2929). */
export const warmSlot = (state: ExecutionState, table: StorageTable, id: number): boolean => {
  const data = slotData(table, id)
  const at = slotStart(id) + SLOT_WARM
  if (data[at] === state.tx) return true
  record(state.undoLog, UNDO_WARM_SLOT, table, id)
  data[at] = state.tx
  return false
}

/**
 * Writes eight limbs into the slot; records the previous value once per checkpoint, and the original once per transaction.
 */
export const writeSlot = (
  state: ExecutionState,
  table: StorageTable,
  id: number,
  words: Int32Array,
  wordAt: number,
): void => {
  const data = slotData(table, id)
  const at = slotStart(id)
  if (data[at + SLOT_WRITTEN] !== state.tx) {
    copyWord(data, at + SLOT_CURRENT, data, at + SLOT_ORIGINAL)
    data[at + SLOT_WRITTEN] = state.tx
  }
  if (data[at + SLOT_JOURNALED] !== state.checkpoint) {
    recordSlot(state.undoLog, table, id)
    data[at + SLOT_JOURNALED] = state.checkpoint
  }
  copyWord(words, wordAt, data, at + SLOT_CURRENT)
}

/** Position, among the slot's limbs, of the value at the start of the transaction. */
export const originalOffset = (state: ExecutionState, table: StorageTable, id: number): number =>
  slotData(table, id)[slotStart(id) + SLOT_WRITTEN] === state.tx ? SLOT_ORIGINAL : SLOT_CURRENT

/** The id in `account.transient` of the slot with these key limbs; zero at the start of each transaction. */
export const transientSlotOfLimbs = (
  state: ExecutionState,
  account: AccountState,
  k0: number,
  k1: number,
  k2: number,
  k3: number,
  k4: number,
  k5: number,
  k6: number,
  k7: number,
): number => {
  account.transient ??= createStorageTable()
  const table = account.transient
  const found = findSlot(table, k0, k1, k2, k3, k4, k5, k6, k7)
  const id = found >= 0 ? found : insertSlot(table, found, k0, k1, k2, k3, k4, k5, k6, k7)
  if (found < 0) state.heldBytes += SLOT_HELD_BYTES
  const data = slotData(table, id)
  const at = slotStart(id)
  if (data[at + SLOT_WRITTEN] !== state.tx) {
    data.fill(0, at + SLOT_CURRENT, at + SLOT_CURRENT + 8)
    data[at + SLOT_WRITTEN] = state.tx
  }
  return id
}

/** True when the account has non-zero slots, by the reader's root or by later writes (EIP-7610). */
export const hasStorage = (account: AccountState): boolean => {
  if (readsStorage(account)) return true
  const table = account.storage
  if (table === undefined) return false
  for (let id = 0; id < table.count; id++)
    if (!isZeroWord(slotData(table, id), slotStart(id) + SLOT_CURRENT)) return true
  return false
}

/** Resets the storage to empty. */
export const resetStorage = (state: ExecutionState, account: AccountState): void => {
  record(state.undoLog, UNDO_STORAGE, account, {
    storage: account.storage,
    storageReset: account.storageReset,
  })
  account.storage = undefined
  account.storageReset = true
}

/** Ids of the slots that differ from their stored values under the account's incarnation. */
export const changedSlots = (table: StorageTable, start = 0, end = table.count): number[] => {
  const changed: number[] = []
  for (let id = start; id < end; id++) {
    const at = slotStart(id)
    if (!equalWords(slotData(table, id), at + SLOT_LOADED, at + SLOT_CURRENT)) changed.push(id)
  }
  return changed
}
