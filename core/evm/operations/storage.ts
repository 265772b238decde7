import type { AccountState } from '../../state/accountState.ts'
import { equalWords, isZeroWord } from '../../state/limbs.ts'
import type { ExecutionState } from '../../state/executionState.ts'
import {
  originalOffset,
  slotOfLimbs,
  storageOf,
  transientSlotOfLimbs,
  warmSlot,
  writeSlot,
} from '../../state/slots.ts'
import type { StorageTable } from '../../state/storageTable.ts'
import {
  findSmallSlot,
  growSteps,
  SLOT_CURRENT,
  SLOT_WARM,
  slotData,
  slotStart,
} from '../../state/storageTable.ts'
import type { GasSchedule, SstorePricing } from '../gas/gasSchedule.ts'
import {
  highOf,
  limbs as stackLimbs,
  lowOf,
  numbers as stackNumbers,
  putWord,
  ensureLimbs,
} from '../interpreter/stack.ts'
import type { Frame } from '../frames/frame.ts'
import { beginWorkThenRestart, type LongWork, SUSPENDED } from '../interpreter/longWork.ts'
import { mayPause } from '../interpreter/runLimit.ts'
import type { Operation } from './operation.ts'

// Constants of this module: see interpreter.ts.
const limbs = stackLimbs
const numbers = stackNumbers

const COLD_SLOAD_GAS = 2100
const WARM_SLOAD_GAS = 100
const SET_GAS = 20000
const RESET_GAS = 5000
const CLEAR_REFUND = 15000
/** EIP-3529. */
const CLEAR_REFUND_LONDON = 4800
/** EIP-2200: SSTORE needs more gas left than this, so that a callee with only the stipend cannot write. */
const SENTRY_GAS = 2300

/** The slot whose key is item `i`. */
const slotAt = (state: ExecutionState, account: AccountState, i: number): number => {
  const n = numbers[i]!
  const small = n | 0
  if (small === n) {
    const found = findSmallSlot(storageOf(account), small)
    if (found >= 0) return found
  }
  if (n === n) return slotOfLimbs(state, account, lowOf(n), highOf(n), 0, 0, 0, 0, 0, 0)
  const k = i << 3
  return slotOfLimbs(
    state,
    account,
    limbs[k]!,
    limbs[k + 1]!,
    limbs[k + 2]!,
    limbs[k + 3]!,
    limbs[k + 4]!,
    limbs[k + 5]!,
    limbs[k + 6]!,
    limbs[k + 7]!,
  )
}

function* growWork(frame: Frame, table: StorageTable): LongWork {
  yield* growSteps(table)
  return frame
}

/** Suspends the instruction until the large table of the account's slots has grown; then it runs again. */
const growFirst = (frame: Frame, table: StorageTable, gas: number): number => {
  frame.gas = gas
  beginWorkThenRestart(growWork(frame, table))
  return SUSPENDED
}

export const load: Operation = (frame, sp, gas) => {
  const { state, schedule } = frame.context
  const table = storageOf(frame.account)
  if (table.count >= table.growsAt && mayPause()) return growFirst(frame, table, gas)
  const id = slotAt(state, frame.account, sp)
  const data = slotData(table, id)
  const at = slotStart(id)
  putWord(sp, data, at + SLOT_CURRENT)
  if (!schedule.eip2929) return gas
  if (data[at + SLOT_WARM] === state.tx) return gas - WARM_SLOAD_GAS
  return gas - (warmSlot(state, table, id) ? WARM_SLOAD_GAS : COLD_SLOAD_GAS)
}

export const store: Operation = (frame, sp, gas) => {
  const { state, schedule } = frame.context
  if (frame.isStatic) {
    frame.halt = 'Illegal state change'
    return -1
  }
  if ((schedule.sstore === 'eip2929' || schedule.sstore === 'eip2200') && gas <= SENTRY_GAS) return -1
  const table = storageOf(frame.account)
  if (table.count >= table.growsAt && mayPause()) return growFirst(frame, table, gas)
  const id = slotAt(state, frame.account, sp)
  ensureLimbs(sp - 1)
  let left = gas
  if (schedule.eip2929 && !warmSlot(state, table, id)) left -= COLD_SLOAD_GAS
  left -= storeGas(state, schedule, table, id, (sp - 1) << 3)
  if (left >= 0) writeSlot(state, table, id, limbs, (sp - 1) << 3)
  return left
}

/** Gas of net metering: no change or a dirty slot, first set, first reset; and the refund of a clear. */
type NetPrices = {
  readonly noop: number
  readonly set: number
  readonly reset: number
  readonly clear: number
}

const NET_PRICES: Readonly<Record<Exclude<SstorePricing, 'gross'>, NetPrices>> = {
  eip1283: { noop: 200, set: SET_GAS, reset: RESET_GAS, clear: CLEAR_REFUND },
  eip2200: { noop: 800, set: SET_GAS, reset: RESET_GAS, clear: CLEAR_REFUND },
  eip2929: { noop: WARM_SLOAD_GAS, set: SET_GAS, reset: RESET_GAS - COLD_SLOAD_GAS, clear: CLEAR_REFUND },
}

/** Gas of writing the limbs at `next` into the slot; adds to the refund. */
const storeGas = (
  state: ExecutionState,
  schedule: GasSchedule,
  table: StorageTable,
  id: number,
  next: number,
): number => {
  const data = slotData(table, id)
  const at = slotStart(id)
  const isClear = isZeroWord(limbs, next)
  if (schedule.sstore === 'gross') {
    const wasClear = isZeroWord(data, at + SLOT_CURRENT)
    if (isClear && !wasClear) state.refund += CLEAR_REFUND
    return wasClear && !isClear ? SET_GAS : RESET_GAS
  }
  const prices = NET_PRICES[schedule.sstore]
  if (isCurrent(data, at, next)) return prices.noop
  const original = at + originalOffset(state, table, id)
  const clearRefund = schedule.isLondon ? CLEAR_REFUND_LONDON : prices.clear
  const beganClear = isZeroWord(data, original)
  if (original === at + SLOT_CURRENT || equalWords(data, original, at + SLOT_CURRENT)) {
    if (beganClear) return prices.set
    if (isClear) state.refund += clearRefund
    return prices.reset
  }
  if (!beganClear) {
    if (isZeroWord(data, at + SLOT_CURRENT)) state.refund -= clearRefund
    if (isClear) state.refund += clearRefund
  }
  if (isOriginal(data, original, next)) state.refund += (beganClear ? prices.set : prices.reset) - prices.noop
  return prices.noop
}

const isCurrent = (data: Int32Array, at: number, next: number): boolean =>
  isOriginal(data, at + SLOT_CURRENT, next)

const isOriginal = (data: Int32Array, at: number, next: number): boolean => {
  for (let i = 0; i < 8; i++) if (data[at + i] !== limbs[next + i]) return false
  return true
}

const transientAt = (state: ExecutionState, account: AccountState, i: number): number => {
  ensureLimbs(i)
  const k = i << 3
  return transientSlotOfLimbs(
    state,
    account,
    limbs[k]!,
    limbs[k + 1]!,
    limbs[k + 2]!,
    limbs[k + 3]!,
    limbs[k + 4]!,
    limbs[k + 5]!,
    limbs[k + 6]!,
    limbs[k + 7]!,
  )
}

/** True when the table of the account's transient slots must grow before another slot is used. */
const growsTransient = ({ account: { transient } }: Frame): boolean =>
  transient !== undefined && transient.count >= transient.growsAt && mayPause()

const loadTransient: Operation = (frame, sp, gas) => {
  if (growsTransient(frame)) return growFirst(frame, frame.account.transient!, gas)
  const id = transientAt(frame.context.state, frame.account, sp)
  putWord(sp, slotData(frame.account.transient!, id), slotStart(id) + SLOT_CURRENT)
  return gas
}

const storeTransient: Operation = (frame, sp, gas) => {
  if (frame.isStatic) {
    frame.halt = 'Illegal state change'
    return -1
  }
  if (growsTransient(frame)) return growFirst(frame, frame.account.transient!, gas)
  const { state } = frame.context
  const id = transientAt(state, frame.account, sp)
  ensureLimbs(sp - 1)
  writeSlot(state, frame.account.transient!, id, limbs, (sp - 1) << 3)
  return gas
}

export const STORAGE: Readonly<Record<number, Operation>> = {
  0x54: load,
  0x55: store,
  0x5c: loadTransient,
  0x5d: storeTransient,
}
