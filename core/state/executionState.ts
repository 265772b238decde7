import type { Address, Hash } from '../bytes/bytes.ts'
import type { Log } from '../chain/receipt.ts'
import { keccak256 } from '../crypto/crypto.ts'
import { EMPTY_CODE_HASH } from '../crypto/constants.ts'
import type { StateReader } from './account.ts'
import type { AccountState } from './accountState.ts'
import { createAccountState } from './accountState.ts'
import type { AccountTable } from './accountTable.ts'
import { addressOfLimbs, createAccountTable, findAccount, insertAccount } from './accountTable.ts'
import type { Journal } from './journal.ts'
import {
  createJournal,
  forgetAll,
  record,
  UNDO_BALANCE,
  UNDO_CODE,
  UNDO_CREATED,
  UNDO_DESTROYED,
  UNDO_EXISTS,
  UNDO_NONCE,
  UNDO_TOUCH,
  UNDO_WARM_ACCOUNT,
  undoTo,
} from './journal.ts'
import { limbOf } from './limbs.ts'
import type { Steps } from '../steps.ts'

/** The state as the interpreter works on it: plain data; the functions beside it keep the journal. */
export type ExecutionState = {
  readonly reader: StateReader
  readonly accounts: AccountTable
  readonly journal: Journal
  /** Serial of the running transaction; whatever belongs to one carries it. */
  tx: number
  /** Serial of the last checkpoint taken or gone back to. */
  checkpoint: number
  /** EIP-161: empty accounts that were touched are removed. */
  clearEmpty: boolean
  /** Gas to refund, of the running transaction. */
  refund: number
  logs: Log[]
  /** What the running transaction's logs take in a receipt, those of reverted calls included. */
  logBytes: number
  /** True once an execution asked, and had the gas, for more memory than the interpreter has. */
  memoryMissing: boolean
  touched: AccountState[]
  destroyed: AccountState[]
}

export const createExecutionState = (reader: StateReader): ExecutionState => ({
  reader,
  accounts: createAccountTable(),
  journal: createJournal(),
  tx: 1,
  checkpoint: 1,
  clearEmpty: true,
  refund: 0,
  logs: [],
  logBytes: 0,
  memoryMissing: false,
  touched: [],
  destroyed: [],
})

/** The account at the address with these limbs (least significant first), read when it is first asked for. */
export const accountOfLimbs = (
  state: ExecutionState,
  k0: number,
  k1: number,
  k2: number,
  k3: number,
  k4: number,
): AccountState => {
  const known = findAccount(state.accounts, k0, k1, k2, k3, k4)
  if (known !== undefined) return known
  const address = addressOfLimbs(k0, k1, k2, k3, k4)
  const account = createAccountState(address, state.reader.account(address))
  insertAccount(state.accounts, account)
  return account
}

export const accountOf = (state: ExecutionState, address: Address): AccountState =>
  accountOfLimbs(
    state,
    limbOf(address, 16),
    limbOf(address, 12),
    limbOf(address, 8),
    limbOf(address, 4),
    limbOf(address, 0),
  )

export const codeOf = (state: ExecutionState, account: AccountState): Uint8Array => {
  account.code ??= state.reader.code(account.codeHash)
  return account.code
}

/** A point that `undoState` goes back to. */
export const takeCheckpoint = (state: ExecutionState): number => {
  state.checkpoint++
  return state.journal.kinds.length
}

export const undoState = (state: ExecutionState, checkpoint: number): void => {
  undoTo(state.journal, checkpoint)
  state.checkpoint++
}

/** Changes that are undone at once: a millisecond or two. */
export const UNDONE_AT_ONCE = 16_384

/** The same in steps. */
export function* undoStateSteps(state: ExecutionState, checkpoint: number): Steps<void> {
  const { journal } = state
  while (journal.kinds.length > checkpoint) {
    undoTo(journal, Math.max(checkpoint, journal.kinds.length - UNDONE_AT_ONCE))
    yield
  }
  state.checkpoint++
}

/**
 * What was done stays: no checkpoint taken before is gone back to. A block of thousands of transactions would otherwise
 * keep how to undo all of them, in arrays that grow by megabytes at once.
 */
export const keepChanges = (state: ExecutionState): void => forgetAll(state.journal)

const RIPEMD_LAST_BYTE = 3

const isRipemd = (address: Address): boolean => {
  for (let i = 0; i < 19; i++) if (address[i] !== 0) return false
  return address[19] === RIPEMD_LAST_BYTE
}

/**
 * EIP-161. A failed call takes its touches back, except that of the RIPEMD precompile: so it happened in block 2,675,119
 * of the main network, and so all clients do.
 */
export const touch = (state: ExecutionState, account: AccountState): void => {
  if (account.touchedTx === state.tx) return
  if (!isRipemd(account.address)) record(state.journal, UNDO_TOUCH, account, undefined)
  account.touchedTx = state.tx
  state.touched.push(account)
}

/** Makes the account exist, without touching it. */
export const ensureExists = (state: ExecutionState, account: AccountState): void => {
  if (account.exists) return
  record(state.journal, UNDO_EXISTS, account, false)
  account.exists = true
}

export const putBalance = (state: ExecutionState, account: AccountState, wei: bigint): void => {
  ensureExists(state, account)
  record(state.journal, UNDO_BALANCE, account, account.balance)
  account.balance = wei
  account.balanceWord = undefined
}

/** Adds, touching the account; before EIP-161 an increase by zero creates it, too. */
export const increaseBalance = (state: ExecutionState, account: AccountState, wei: bigint): void => {
  touch(state, account)
  if (wei !== 0n) putBalance(state, account, account.balance + wei)
  else if (!state.clearEmpty) ensureExists(state, account)
}

/** Subtracts what the caller knows to be there, touching the account. */
export const decreaseBalance = (state: ExecutionState, account: AccountState, wei: bigint): void => {
  touch(state, account)
  if (wei !== 0n) putBalance(state, account, account.balance - wei)
}

export const putNonce = (state: ExecutionState, account: AccountState, nonce: bigint): void => {
  ensureExists(state, account)
  record(state.journal, UNDO_NONCE, account, account.nonce)
  account.nonce = nonce
}

export const putCode = (state: ExecutionState, account: AccountState, code: Uint8Array): void =>
  putHashedCode(state, account, code, code.length === 0 ? EMPTY_CODE_HASH : keccak256(code))

export const putHashedCode = (
  state: ExecutionState,
  account: AccountState,
  code: Uint8Array,
  codeHash: Hash,
): void => {
  ensureExists(state, account)
  record(state.journal, UNDO_CODE, account, { codeHash: account.codeHash, code: account.code })
  account.code = code
  account.codeHash = codeHash
  account.program = undefined
}

/** Warms the account; true when it was warm already (EIP-2929). */
export const warmAccount = (state: ExecutionState, account: AccountState): boolean => {
  if (account.warmTx === state.tx) return true
  record(state.journal, UNDO_WARM_ACCOUNT, account, undefined)
  account.warmTx = state.tx
  return false
}

/** Notes that the running transaction created the account's contract (EIP-6780). */
export const markCreated = (state: ExecutionState, account: AccountState): void => {
  record(state.journal, UNDO_CREATED, account, undefined)
  account.createdTx = state.tx
}

/** Marks for removal at the end of the transaction; false when it was marked before. */
export const markDestroyed = (state: ExecutionState, account: AccountState): boolean => {
  if (account.destroyedTx === state.tx) return false
  record(state.journal, UNDO_DESTROYED, account, undefined)
  account.destroyedTx = state.tx
  state.destroyed.push(account)
  return true
}
