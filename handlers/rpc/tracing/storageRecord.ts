import { SLOAD, SSTORE } from '../../../core/evm/interpreter/opcodeBytes.ts'
import { toBareHex, toHex } from '../../../core/bytes/hex.ts'
import { bigintToFixedBytes } from '../../../core/bytes/integer.ts'
import type { TraceStep } from '../../../core/evm/interpreter/tracer.ts'
import type { WorldState } from '../../../core/state/world.ts'

const WORD = 32

/** The slots that each contract has read and written so far. */
export type StorageRecord = {
  /** Adds the slot that an SLOAD or SSTORE is about to access. Returns the contract's slots; undefined at other instructions. */
  readonly at: (step: TraceStep) => ReadonlyMap<string, string> | undefined
}

export const createStorageRecord = (world: WorldState): StorageRecord => {
  const byAddress = new Map<string, Map<string, string>>()
  return {
    at(step) {
      const needed = step.op === SLOAD ? 1 : 2
      if ((step.op !== SLOAD && step.op !== SSTORE) || step.stackSize < needed) return undefined
      const slot = bigintToFixedBytes(step.peek(0), WORD)
      const value =
        step.op === SLOAD ? world.storage(step.address, slot) : bigintToFixedBytes(step.peek(1), WORD)
      const key = toBareHex(step.address)
      const slots = byAddress.get(key) ?? new Map<string, string>()
      byAddress.set(key, slots)
      return slots.set(toHex(slot), toHex(value))
    },
  }
}
