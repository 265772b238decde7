import { NEW_ACCOUNT_GAS } from '../gas/costs.ts'
import type { AccountState } from '../../state/accountState.ts'
import { hasCode, isEmpty } from '../../state/accountState.ts'
import type { ExecutionState } from '../../state/executionState.ts'
import { codeOf, decreaseBalance, increaseBalance, markDestroyed } from '../../state/executionState.ts'
import { accessAccount, accountAt, chargeAccess, COLD_ACCOUNT_GAS } from '../gas/accountAccess.ts'
import type { Frame } from '../frames/frame.ts'
import { numbers, putBytes32, putWord, writeBigint } from '../interpreter/stack.ts'
import { chargeCopy, copyToMemory, dataOffset } from './data.ts'
import type { Operation } from './operation.ts'

const SELF_DESTRUCT_REFUND = 24000

const putBalanceOf = (i: number, account: AccountState): void => {
  if (account.balanceWord === undefined) {
    account.balanceWord = new Int32Array(8)
    writeBigint(account.balanceWord, 0, account.balance)
  }
  putWord(i, account.balanceWord, 0)
}

const balance: Operation = (frame, sp, gas) => {
  const account = accountAt(frame.context.state, sp)
  const left = chargeAccess(frame, account, gas)
  putBalanceOf(sp, account)
  return left
}

const externalCodeSize: Operation = (frame, sp, gas) => {
  const { state } = frame.context
  const account = accountAt(state, sp)
  const left = chargeAccess(frame, account, gas)
  if (left >= 0) numbers[sp] = hasCode(account) ? codeOf(state, account).length : 0
  return left
}

const externalCodeCopy: Operation = (frame, sp, gas) => {
  const { state } = frame.context
  const account = accountAt(state, sp)
  const to = numbers[sp - 1]!
  const size = numbers[sp - 3]!
  // Memory first, because an instruction that runs again after its memory has grown must not have paid other gas.
  let left = chargeCopy(frame, to, size, gas)
  if (left >= 0) left = chargeAccess(frame, account, left)
  if (left < 0 || size === 0) return left
  return copyToMemory(frame, codeOf(state, account), dataOffset(sp - 2), to, size, left)
}

/** EIP-1052: zero for an account that is empty or does not exist. */
const externalCodeHash: Operation = (frame, sp, gas) => {
  const account = accountAt(frame.context.state, sp)
  const left = chargeAccess(frame, account, gas)
  if (!account.exists || isEmpty(account)) numbers[sp] = 0
  else putBytes32(sp, account.codeHash)
  return left
}

/** SELFDESTRUCT, priced by EIP-150, EIP-161 and EIP-2929, without refund from EIP-3529 on, limited by EIP-6780. */
export const selfDestruct: Operation = (frame, sp, gas) => {
  const { state, schedule, tracer } = frame.context
  if (frame.isStatic) {
    frame.halt = 'Illegal state change'
    return -1
  }
  const { account } = frame
  const recipient = accountAt(state, sp)
  let left = gas
  if (schedule.eip2929 && !accessAccount(frame.context, recipient)) left -= COLD_ACCOUNT_GAS
  if (schedule.eip150) {
    const isNew = schedule.eip158 ? isEmpty(recipient) && account.balance !== 0n : !recipient.exists
    if (isNew) left -= NEW_ACCOUNT_GAS
  }
  if (left < 0) return left
  const wei = account.balance
  tracer?.onSelfDestruct?.(account.address, recipient.address, wei)
  transferBalance(state, account, recipient, wei, !schedule.isCancun || account.createdTx === state.tx)
  const isFirst = schedule.isCancun
    ? account.createdTx === state.tx && markDestroyed(state, account)
    : markDestroyed(state, account)
  if (isFirst && !schedule.isLondon) state.refund += SELF_DESTRUCT_REFUND
  return left
}

/** Moves the balance. An account that sends it to itself loses it if it is destroyed. */
const transferBalance = (
  state: ExecutionState,
  account: AccountState,
  recipient: AccountState,
  wei: bigint,
  isDestroyed: boolean,
): void => {
  if (recipient !== account || isDestroyed) decreaseBalance(state, account, wei)
  if (recipient !== account) increaseBalance(state, recipient, wei)
}

export const ACCOUNT: Readonly<Record<number, Operation>> = {
  0x31: balance,
  0x3b: externalCodeSize,
  0x3c: externalCodeCopy,
  0x3f: externalCodeHash,
  0x47: (frame: Frame, sp, gas) => {
    putBalanceOf(sp + 1, frame.account)
    return gas
  },
}
