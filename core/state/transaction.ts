import { EMPTY_BYTES } from '../bytes/bytes.ts'
import { EMPTY_CODE_HASH } from '../crypto/constants.ts'
import type { AccountState } from './accountState.ts'
import { hasCode, isEmpty } from './accountState.ts'
import type { ExecutionState } from './executionState.ts'
import { putBalance, putNonce } from './executionState.ts'
import { record, UNDO_CODE, UNDO_EXISTS } from './undoLog.ts'
import { resetStorage } from './slots.ts'
import type { Steps } from '../steps.ts'

/** Starts one transaction: nothing is warm, no transient values, no logs, no refund. */
export const beginTransaction = (state: ExecutionState, clearEmpty: boolean): void => {
  removeEmpty(state)
  state.clearEmpty = clearEmpty
  state.tx++
  state.checkpoint++
  state.refund = 0
  state.logs = []
  state.logBytes = 0
  state.heldBytesBefore = state.heldBytes
  state.touched = []
  state.destroyed = []
}

/** Accounts checked or removed between two yields: a millisecond or two. */
const ACCOUNTS_AT_ONCE = 4096

/** Ends the transaction: removes self-destructed accounts and, from EIP-161 on, touched empty accounts. */
export const endTransaction = (state: ExecutionState): void => {
  for (const account of state.destroyed) if (account.destroyedTx === state.tx) remove(state, account)
  state.destroyed = []
  removeEmpty(state)
}

/** True when ending the transaction takes long. */
export const endIsLong = ({ destroyed, touched }: ExecutionState): boolean =>
  destroyed.length + touched.length > ACCOUNTS_AT_ONCE

/** As `endTransaction`, in steps, for many accounts. */
export function* endTransactionSteps(state: ExecutionState): Steps<void> {
  let checked = 0
  for (const account of state.destroyed) {
    if (account.destroyedTx === state.tx) remove(state, account)
    if (++checked % ACCOUNTS_AT_ONCE === 0) yield
  }
  state.destroyed = []
  for (const account of state.touched) {
    if (account.exists && isDead(state, account)) remove(state, account)
    if (++checked % ACCOUNTS_AT_ONCE === 0) yield
  }
  state.touched = []
}

/** Clears the data of the current transaction, whose changes were undone. */
export const dropTransaction = (state: ExecutionState): void => {
  state.refund = 0
  state.logs = []
  state.touched = []
  state.destroyed = []
}

/** True when the account must be removed as empty (EIP-161). */
export const isDead = (state: ExecutionState, account: AccountState): boolean =>
  state.clearEmpty && account.touchedTx === state.tx && isEmpty(account)

const removeEmpty = (state: ExecutionState): void => {
  for (const account of state.touched) if (account.exists && isDead(state, account)) remove(state, account)
  state.touched = []
}

const remove = (state: ExecutionState, account: AccountState): void => {
  if (account.nonce !== 0n) putNonce(state, account, 0n)
  if (account.balance !== 0n) putBalance(state, account, 0n)
  if (hasCode(account)) {
    record(state.undoLog, UNDO_CODE, account, { codeHash: account.codeHash, code: account.code })
    account.code = EMPTY_BYTES
    account.codeHash = EMPTY_CODE_HASH
    account.program = undefined
  }
  resetStorage(state, account)
  if (!account.exists) return
  record(state.undoLog, UNDO_EXISTS, account, true)
  account.exists = false
}
