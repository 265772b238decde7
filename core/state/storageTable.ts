import { runSteps, type Steps } from '../steps.ts'
import { hashOf5 } from './hash.ts'

/**
 * The used slots of one account as 32-bit limbs in one array: no strings, bigints or objects per slot. A slot's id is its
 * position and never changes. Words are eight limbs, least significant first.
 */
export type StorageTable = {
  /** SLOT_STRIDE limbs per slot. */
  data: Int32Array
  count: number
  /** Number of slots at which the next one makes the table grow, which takes long; NEVER while it is small. */
  growsAt: number
  /** Open addressing: slot id + 1, or 0 for a free place. The size is a power of two, at most half full. */
  index: Int32Array
}

/** Offsets in a slot's limbs. */
export const SLOT_KEY = 0
export const SLOT_CURRENT = 8
/** The value at the start of the transaction; valid only if SLOT_WRITTEN is the current transaction. */
export const SLOT_ORIGINAL = 16
/** The value read. */
export const SLOT_LOADED = 24
/** Serial of the transaction in which the slot is warm (EIP-2929). */
export const SLOT_WARM = 32
/** Serial of the transaction that last wrote the slot. */
export const SLOT_WRITTEN = 33
/** Serial of the checkpoint since which an undo entry for the slot exists. */
export const SLOT_JOURNALED = 34
export const SLOT_STRIDE = 36

const SLOTS_FIRST = 8

/** More slots than any table has; V8 keeps integers of this size unboxed. */
const NEVER = 2 ** 30 - 1

export const createStorageTable = (): StorageTable => ({
  data: new Int32Array(SLOTS_FIRST * SLOT_STRIDE),
  count: 0,
  growsAt: NEVER,
  index: new Int32Array(2 * SLOTS_FIRST),
})

const placeOf = (data: Int32Array, at: number): number =>
  hashOf5(
    data[at] as number,
    data[at + 1] as number,
    (data[at + 2] as number) ^ Math.imul(data[at + 5] as number, 0x2c1b3c6d),
    (data[at + 3] as number) ^ Math.imul(data[at + 6] as number, 0x297a2d39),
    (data[at + 4] as number) ^ Math.imul(data[at + 7] as number, 0x1b56c4e9),
  )

/** Slots moved between two yields when a table grows: a millisecond or two. */
const MOVED_AT_ONCE = 16_384

/** Doubles the capacity of a table, which must not change between the steps. */
export function* growSteps(table: StorageTable): Steps<void> {
  const data = new Int32Array(2 * table.data.length)
  const index = new Int32Array(2 * table.index.length)
  const mask = index.length - 1
  for (let start = 0; start < table.count; start += MOVED_AT_ONCE) {
    const end = Math.min(start + MOVED_AT_ONCE, table.count)
    data.set(table.data.subarray(start * SLOT_STRIDE, end * SLOT_STRIDE), start * SLOT_STRIDE)
    for (let id = start; id < end; id++) {
      let place = placeOf(data, id * SLOT_STRIDE) & mask
      while (index[place] !== 0) place = (place + 1) & mask
      index[place] = id + 1
    }
    if (end < table.count) yield
  }
  table.data = data
  table.index = index
  table.growsAt = growsAt(data.length / SLOT_STRIDE)
}

/** Number of slots at which the next one makes a large table grow; NEVER for a small one. */
const growsAt = (slots: number): number => (slots > MOVED_AT_ONCE ? slots - 1 : NEVER)

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
  const { data, index } = table
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
    const at = (found - 1) * SLOT_STRIDE
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
  const { data } = table
  const at = id * SLOT_STRIDE
  data[at] = k0
  data[at + 1] = k1
  data[at + 2] = k2
  data[at + 3] = k3
  data[at + 4] = k4
  data[at + 5] = k5
  data[at + 6] = k6
  data[at + 7] = k7
  if (table.count * SLOT_STRIDE === data.length) runSteps(growSteps(table))
  return id
}
