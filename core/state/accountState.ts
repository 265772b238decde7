import type { Address, Hash } from '../bytes/bytes.ts'
import { EMPTY_BYTES, equalBytes } from '../bytes/bytes.ts'
import type { Account } from './account.ts'
import { EMPTY_CODE_HASH, EMPTY_TRIE_ROOT } from '../crypto/constants.ts'
import type { StorageTable } from './storageTable.ts'

/**
 * One account during the execution of a block: the loaded value and the current one. Marks hold the serial number of their
 * transaction, so that nothing has to be cleared between transactions.
 */
export type AccountState = {
  readonly address: Address
  /** The account from the reader. */
  readonly loaded: Account | undefined
  exists: boolean
  nonce: bigint
  balance: bigint
  codeHash: Hash
  /** Undefined until it is read. */
  code: Uint8Array | undefined
  /** Undefined until a slot is used. */
  storage: StorageTable | undefined
  /** True when the storage was reset to empty, so that the reader's slots no longer apply. */
  storageReset: boolean
  /** EIP-1153; a value is valid only if SLOT_WRITTEN is the current transaction. */
  transient: StorageTable | undefined
  /** EIP-2929. */
  warmTx: number
  /** EIP-161. */
  touchedTx: number
  /** EIP-6780. */
  createdTx: number
  destroyedTx: number
  /** Caches of the interpreter: the balance as limbs and the analysed code; dropped when either changes. */
  balanceWord: Int32Array | undefined
  program: unknown
}

export const createAccountState = (address: Address, loaded: Account | undefined): AccountState => ({
  address,
  loaded,
  exists: loaded !== undefined,
  nonce: loaded === undefined ? 0n : loaded.nonce,
  balance: loaded === undefined ? 0n : loaded.balance,
  codeHash: loaded === undefined ? EMPTY_CODE_HASH : loaded.codeHash,
  code: loaded === undefined || isEmptyCode(loaded.codeHash) ? EMPTY_BYTES : undefined,
  storage: undefined,
  storageReset: false,
  transient: undefined,
  warmTx: 0,
  touchedTx: 0,
  createdTx: 0,
  destroyedTx: 0,
  balanceWord: undefined,
  program: undefined,
})

const isEmptyCode = (codeHash: Hash): boolean => equalBytes(codeHash, EMPTY_CODE_HASH)

export const hasCode = (account: AccountState): boolean =>
  account.code === undefined || account.code.length !== 0

/** EIP-161: no nonce, no balance, no code. An account that does not exist is empty, too. */
export const isEmpty = (account: AccountState): boolean =>
  account.nonce === 0n && account.balance === 0n && !hasCode(account)

/** True when the reader may have non-zero slots of the account. */
export const readsStorage = (account: AccountState): boolean =>
  account.loaded !== undefined &&
  !account.storageReset &&
  !equalBytes(account.loaded.storageRoot, EMPTY_TRIE_ROOT)
