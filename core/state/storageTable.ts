import { runSteps, type Steps } from '../steps.ts'
import { hashOf5 } from './hash.ts'

/**
 * The used slots of one account as 32-bit limbs: no strings, bigints or objects per slot. A slot's id is its position and
 * never changes. Words are eight limbs, least significant first.
 */
export type StorageTable = {
  /** SLOT_STRIDE limbs per slot, SLOTS_PER_CHUNK slots per chunk; fewer in the first one while it is the only one. */
  readonly chunks: Int32Array[]
  count: number
  /** Number of slots at which the next insertion grows the index, which takes long; NEVER while the table is small. */
  growsAt: number
  /** Open addressing: slot id + 1, or 0 for a free place. The size is a power of two, at most half full. */
  index: Int32Array
}

/** Offsets in a slot's limbs. */
export const SLOT_KEY = 0
export const SLOT_CURRENT = 8
/** The value at the start of the transaction; valid only if SLOT_WRITTEN is the current transaction. */
export const SLOT_ORIGINAL = 16
/** The value from the reader. */
export const SLOT_LOADED = 24
/** Serial of the transaction in which the slot is warm (EIP-2929). */
export const SLOT_WARM = 32
/** Serial of the transaction that last wrote the slot. */
export const SLOT_WRITTEN = 33
/** Serial of the checkpoint since which an undo entry for the slot exists. */
export const SLOT_JOURNALED = 34
const SLOT_STRIDE = 36

const SLOTS_FIRST = 8

/**
 * Slots of a chunk, a power of two: allocating and clearing a chunk, of a megabyte, takes a fraction of a millisecond.
 */
const SLOTS_PER_CHUNK = 8192
const CHUNK_SHIFT = 13

/** More slots than any table has; V8 keeps integers of this size unboxed. */
const NEVER = 2 ** 30 - 1

export const createStorageTable = (): StorageTable => ({
  chunks: [new Int32Array(SLOTS_FIRST * SLOT_STRIDE)],
  count: 0,
  growsAt: NEVER,
  index: new Int32Array(2 * SLOTS_FIRST),
})

/** The chunk of the slot, whose limbs begin at `slotStart(id)`. It is replaced when the table grows. */
export const slotData = (table: StorageTable, id: number): Int32Array =>
  table.chunks[id >>> CHUNK_SHIFT] as Int32Array

export const slotStart = (id: number): number => (id & (SLOTS_PER_CHUNK - 1)) * SLOT_STRIDE

const placeOf = (data: Int32Array, at: number): number =>
  hashOf5(
    data[at] as number,
    data[at + 1] as number,
    (data[at + 2] as number) ^ Math.imul(data[at + 5] as number, 0x2c1b3c6d),
    (data[at + 3] as number) ^ Math.imul(data[at + 6] as number, 0x297a2d39),
    (data[at + 4] as number) ^ Math.imul(data[at + 7] as number, 0x1b56c4e9),
  )

/** Slots linked between two yields when an index grows: a millisecond or two. */
const LINKED_AT_ONCE = 16_384

/** Doubles the index of a table, which must not change between the steps. */
export function* growSteps(table: StorageTable): Steps<void> {
  const index = new Int32Array(2 * table.index.length)
  const mask = index.length - 1
  for (let start = 0; start < table.count; start += LINKED_AT_ONCE) {
    const end = Math.min(start + LINKED_AT_ONCE, table.count)
    for (let id = start; id < end; id++) {
      let place = placeOf(slotData(table, id), slotStart(id)) & mask
      while (index[place] !== 0) place = (place + 1) & mask
      index[place] = id + 1
    }
    if (end < table.count) yield
  }
  table.index = index
  table.growsAt = growsAt(index.length >> 1)
}

/** Number of slots at which the next one makes a large index grow; NEVER for a small one. */
const growsAt = (slots: number): number => (slots > LINKED_AT_ONCE ? slots - 1 : NEVER)

/** Makes room for the limbs of slot `id`, the next one. */
const growData = ({ chunks }: StorageTable, id: number): void => {
  if (id >= SLOTS_PER_CHUNK) {
    if (id >>> CHUNK_SHIFT === chunks.length) chunks.push(new Int32Array(SLOTS_PER_CHUNK * SLOT_STRIDE))
    return
  }
  const [first] = chunks as [Int32Array]
  if (id * SLOT_STRIDE < first.length) return
  const more = new Int32Array(2 * first.length)
  more.set(first)
  chunks[0] = more
}

/** The id of the slot with this key below 2^31; negative when there is none. Solidity's variables have such keys. */
export const findSmallSlot = (table: StorageTable, key: number): number => {
  const { index } = table
  const mask = index.length - 1
  let place = hashOf5(key, 0, 0, 0, 0) & mask
  for (;;) {
    const found = index[place]! - 1
    if (found < 0) return found
    const data = slotData(table, found)
    const at = slotStart(found)
    const upper = data[at + 1]! | data[at + 2]! | data[at + 3]! | data[at + 4]!
    if (data[at] === key && (upper | data[at + 5]! | data[at + 6]! | data[at + 7]!) === 0) return found
    place = (place + 1) & mask
  }
}

/** The id of the slot with this key, or -(place + 1) for `insertSlot`. */
export const findSlot = (
  table: StorageTable,
  k0: number,
  k1: number,
  k2: number,
  k3: number,
  k4: number,
  k5: number,
  k6: number,
  k7: number,
): number => {
  const { index } = table
  const mask = index.length - 1
  let place =
    hashOf5(
      k0,
      k1,
      k2 ^ Math.imul(k5, 0x2c1b3c6d),
      k3 ^ Math.imul(k6, 0x297a2d39),
      k4 ^ Math.imul(k7, 0x1b56c4e9),
    ) & mask
  for (;;) {
    const found = index[place] as number
    if (found === 0) return -place - 1
    const data = slotData(table, found - 1)
    const at = slotStart(found - 1)
    if (
      data[at] === k0 &&
      data[at + 1] === k1 &&
      data[at + 2] === k2 &&
      data[at + 3] === k3 &&
      data[at + 4] === k4 &&
      data[at + 5] === k5 &&
      data[at + 6] === k6 &&
      data[at + 7] === k7
    )
      return found - 1
    place = (place + 1) & mask
  }
}

/** Adds a slot that `findSlot` did not find, with zero values; returns its id. */
export const insertSlot = (
  table: StorageTable,
  missing: number,
  k0: number,
  k1: number,
  k2: number,
  k3: number,
  k4: number,
  k5: number,
  k6: number,
  k7: number,
): number => {
  const id = table.count++
  table.index[-missing - 1] = id + 1
  growData(table, id)
  const data = slotData(table, id)
  const at = slotStart(id)
  data[at] = k0
  data[at + 1] = k1
  data[at + 2] = k2
  data[at + 3] = k3
  data[at + 4] = k4
  data[at + 5] = k5
  data[at + 6] = k6
  data[at + 7] = k7
  if (2 * table.count === table.index.length) runSteps(growSteps(table))
  return id
}
