import type { AccountState } from '../../state/accountState.ts'
import { hasCode, isEmpty } from '../../state/accountState.ts'
import type { ExecutionState } from '../../state/executionState.ts'
import { codeOf, decreaseBalance, increaseBalance, markDestroyed } from '../../state/executionState.ts'
import { access, accountAt, chargeAccess, COLD_ACCOUNT_GAS } from '../gas/accountAccess.ts'
import type { Frame } from '../frames/frame.ts'
import { num, putBytes32, putWord, writeBigint } from '../interpreter/stack.ts'
import { chargeCopy, copyToMemory, dataOffset } from './data.ts'
import type { Operation } from './operation.ts'

const NEW_ACCOUNT_GAS = 25000
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
  if (left >= 0) num[sp] = hasCode(account) ? codeOf(state, account).length : 0
  return left
}

const externalCodeCopy: Operation = (frame, sp, gas) => {
  const { state } = frame.context
  const account = accountAt(state, sp)
  const to = num[sp - 1]!
  const size = num[sp - 3]!
  // Memory first: an instruction that begins again when its memory is there has paid for nothing else.
  let left = chargeCopy(frame, to, size, gas)
  if (left >= 0) left = chargeAccess(frame, account, left)
  if (left < 0 || size === 0) return left
  return copyToMemory(frame, codeOf(state, account), dataOffset(sp - 2), to, size, left)
}

/** EIP-1052: zero for an account that is empty or does not exist. */
const externalCodeHash: Operation = (frame, sp, gas) => {
  const account = accountAt(frame.context.state, sp)
  const left = chargeAccess(frame, account, gas)
  if (!account.exists || isEmpty(account)) num[sp] = 0
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
  const heir = accountAt(state, sp)
  let left = gas
  if (schedule.eip2929 && !access(frame.context, heir)) left -= COLD_ACCOUNT_GAS
  if (schedule.eip150) {
    const isNew = schedule.eip158 ? isEmpty(heir) && account.balance !== 0n : !heir.exists
    if (isNew) left -= NEW_ACCOUNT_GAS
  }
  if (left < 0) return left
  const wei = account.balance
  tracer?.onSelfDestruct?.(account.address, heir.address, wei)
  bequeath(state, account, heir, wei, !schedule.isCancun || account.createdTx === state.tx)
  const isFirst = schedule.isCancun
    ? account.createdTx === state.tx && markDestroyed(state, account)
    : markDestroyed(state, account)
  if (isFirst && !schedule.isLondon) state.refund += SELF_DESTRUCT_REFUND
  return left
}

/** Moves the balance; one that the account leaves to itself is burnt where the account goes. */
const bequeath = (
  state: ExecutionState,
  account: AccountState,
  heir: AccountState,
  wei: bigint,
  goes: boolean,
): void => {
  if (heir !== account || goes) decreaseBalance(state, account, wei)
  if (heir !== account) increaseBalance(state, heir, wei)
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
