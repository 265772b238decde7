import type { Address, Hash } from '../bytes/bytes.ts'
import { toHex } from '../bytes/hex.ts'
import type { Log } from '../block/receipt.ts'
import { keccak256 } from '../crypto/crypto.ts'
import { EMPTY_CODE_HASH } from '../crypto/constants.ts'
import type { StateReader } from './account.ts'
import type { AccountState } from './accountState.ts'
import { createAccountState } from './accountState.ts'
import type { AccountTable } from './accountTable.ts'
import { addressOfLimbs, createAccountTable, findAccount, insertAccount } from './accountTable.ts'
import type { UndoLog } from './undoLog.ts'
import {
  createUndoLog,
  clearUndoLog,
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
} from './undoLog.ts'
import { ACCOUNT_HELD_BYTES, UNDO_HELD_BYTES } from './heldBytes.ts'
import { limbOf } from './limbs.ts'
import type { Steps } from '../steps.ts'

/** The state that the interpreter uses: plain data. The functions of this module maintain its undo log. */
export type ExecutionState = {
  readonly reader: StateReader
  readonly accounts: AccountTable
  readonly undoLog: UndoLog
  /** Serial number of the current transaction; marks of a transaction hold it. */
  tx: number
  /** Serial number that changes whenever a checkpoint is taken or reverted to. */
  checkpoint: number
  /** EIP-161: touched empty accounts are removed. */
  clearEmpty: boolean
  /** Gas refund of the current transaction. */
  refund: number
  logs: Log[]
  /** Size of the current transaction's logs in a receipt, including those of reverted calls. */
  logBytes: number
  /** Estimated memory of the block's execution, without the undo log and the memory of frames. */
  heldBytes: number
  /** The value of `heldBytes` when the current transaction began. */
  heldBytesBefore: number
  /** The accounts that keep the program of their code, and the bytes of these programs. */
  readonly accountsWithProgram: AccountState[]
  programBytes: number
  /** True after an execution requested more memory than the interpreter has, with enough gas for it. */
  memoryMissing: boolean
  touched: AccountState[]
  destroyed: AccountState[]
}

export const createExecutionState = (reader: StateReader): ExecutionState => ({
  reader,
  accounts: createAccountTable(),
  undoLog: createUndoLog(),
  tx: 1,
  checkpoint: 1,
  clearEmpty: true,
  refund: 0,
  logs: [],
  logBytes: 0,
  heldBytes: 0,
  heldBytesBefore: 0,
  accountsWithProgram: [],
  programBytes: 0,
  memoryMissing: false,
  touched: [],
  destroyed: [],
})

/** The account at the address with these limbs (least significant first); read at first use. */
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
  state.heldBytes += ACCOUNT_HELD_BYTES
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
  if (account.code !== undefined) return account.code
  const code = state.reader.code(account.codeHash)
  account.code = code
  state.heldBytes += code.length
  return code
}

/** A checkpoint for `undoState`. */
export const takeCheckpoint = (state: ExecutionState): number => {
  state.checkpoint++
  return state.undoLog.length
}

export const undoState = (state: ExecutionState, checkpoint: number): void => {
  undoTo(state.undoLog, checkpoint)
  state.checkpoint++
}

/** Changes undone between two yields: a millisecond or two. */
export const UNDO_ENTRIES_AT_ONCE = 16_384

/** As `undoState`, in steps. */
export function* undoStateSteps(state: ExecutionState, checkpoint: number): Steps<void> {
  const { undoLog } = state
  while (undoLog.length > checkpoint) {
    undoTo(undoLog, Math.max(checkpoint, undoLog.length - UNDO_ENTRIES_AT_ONCE))
    yield
  }
  state.checkpoint++
}

/**
 * Keeps all changes: earlier checkpoints can no longer be reverted to. Otherwise a block of thousands of transactions would
 * keep the undo data of all of them, in arrays that grow by megabytes at once.
 */
export const keepChanges = (state: ExecutionState): void => clearUndoLog(state.undoLog)

const RIPEMD_LAST_BYTE = 3

const isRipemd = (address: Address): boolean => {
  for (let i = 0; i < 19; i++) if (address[i] !== 0) return false
  return address[19] === RIPEMD_LAST_BYTE
}

/**
 * Marks an account as touched (EIP-161). A failed call reverts its touches, except that of the RIPEMD precompile, as in
 * block 2,675,119 of mainnet and in all clients.
 */
export const touch = (state: ExecutionState, account: AccountState): void => {
  if (account.touchedTx === state.tx) return
  if (!isRipemd(account.address)) record(state.undoLog, UNDO_TOUCH, account, undefined)
  account.touchedTx = state.tx
  state.touched.push(account)
}

/** Creates the account without touching it. */
export const ensureExists = (state: ExecutionState, account: AccountState): void => {
  if (account.exists) return
  record(state.undoLog, UNDO_EXISTS, account, false)
  account.exists = true
}

export const putBalance = (state: ExecutionState, account: AccountState, wei: bigint): void => {
  ensureExists(state, account)
  record(state.undoLog, UNDO_BALANCE, account, account.balance)
  account.balance = wei
  account.balanceWord = undefined
}

const BALANCE_MAX = 2n ** 256n - 1n

/** A transaction would raise a balance above 256 bits, which a genesis file can make possible. As with Besu, no block has it. */
export class BalanceOverflow extends Error {
  override readonly name = 'BalanceOverflow'
  readonly code = 'BALANCE_OVERFLOW'
}

/**
 * Adds to the balance and touches the account; before EIP-161 an increase by zero creates it, too.
 * @throws BalanceOverflow
 */
export const increaseBalance = (state: ExecutionState, account: AccountState, wei: bigint): void => {
  touch(state, account)
  const balance = account.balance + wei
  if (balance > BALANCE_MAX)
    throw new BalanceOverflow(`the balance of ${toHex(account.address)} would exceed 256 bits`)
  if (wei !== 0n) putBalance(state, account, balance)
  else if (!state.clearEmpty) ensureExists(state, account)
}

/** Subtracts an amount that the caller has checked, and touches the account. */
export const decreaseBalance = (state: ExecutionState, account: AccountState, wei: bigint): void => {
  touch(state, account)
  if (wei !== 0n) putBalance(state, account, account.balance - wei)
}

export const putNonce = (state: ExecutionState, account: AccountState, nonce: bigint): void => {
  ensureExists(state, account)
  record(state.undoLog, UNDO_NONCE, account, account.nonce)
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
  record(state.undoLog, UNDO_CODE, account, { codeHash: account.codeHash, code: account.code })
  account.code = code
  account.codeHash = codeHash
  account.program = undefined
  state.heldBytes += code.length
}

/** Estimated memory of the current transaction, without the memory of its frames. */
export const transactionBytes = ({ heldBytes, heldBytesBefore, undoLog }: ExecutionState): number =>
  heldBytes - heldBytesBefore + UNDO_HELD_BYTES * undoLog.length

/** Warms the account; returns true if it was warm already (EIP-2929). */
export const warmAccount = (state: ExecutionState, account: AccountState): boolean => {
  if (account.warmTx === state.tx) return true
  record(state.undoLog, UNDO_WARM_ACCOUNT, account, undefined)
  account.warmTx = state.tx
  return false
}

/** Records that the current transaction created the account's contract (EIP-6780). */
export const markCreated = (state: ExecutionState, account: AccountState): void => {
  record(state.undoLog, UNDO_CREATED, account, undefined)
  account.createdTx = state.tx
}

/** Marks the account for removal at the end of the transaction; returns false if it was marked before. */
export const markDestroyed = (state: ExecutionState, account: AccountState): boolean => {
  if (account.destroyedTx === state.tx) return false
  record(state.undoLog, UNDO_DESTROYED, account, undefined)
  account.destroyedTx = state.tx
  state.destroyed.push(account)
  return true
}
