import type { Address, Hash } from '../bytes/bytes.ts'

/** An account of the flat state. */
export type Account = {
  readonly nonce: bigint
  /** Wei. */
  readonly balance: bigint
  /** keccak256 of the code; EMPTY_CODE_HASH without code. */
  readonly codeHash: Hash
  /** Root of the storage trie; EMPTY_TRIE_ROOT without storage. */
  readonly storageRoot: Hash
  /**
   * The block at which this account's storage was last empty: its creation, or re-creation after a self-destruct. Part of
   * the store key of every slot, so that clearing a storage writes nothing. Not part of any hash.
   */
  readonly incarnation: bigint
}

/**
 * Synchronous reads of the state after one block. A reader over an asynchronous store throws MissingEntries; the caller
 * loads the entries and runs again.
 */
export type StateReader = {
  account(address: Address): Account | undefined
  /**
   * `slot` and result are 32 bytes; an unset slot is ZERO_HASH (shared, read-only). `account` is the result of `account()`.
   */
  storage(address: Address, account: Account, slot: Uint8Array): Uint8Array
  /** The code with that hash; throws when the store does not have it. */
  code(codeHash: Hash): Uint8Array
}

/** Thrown by synchronous readers when entries must first be loaded; `keys` are store keys. */
export class MissingEntries extends Error {
  override readonly name = 'MissingEntries'
  readonly code = 'MISSING_ENTRIES'
  readonly keys: readonly string[]
  constructor(keys: readonly string[]) {
    super(`${keys.length} entries must be loaded before this run can continue`)
    this.keys = keys
  }
}

export type SlotChange = {
  readonly slot: Uint8Array
  readonly before: Uint8Array
  readonly after: Uint8Array
}

/** The changes of one block to one account. `before` and `after` differ, or `slots` is not empty. */
export type AccountChange = {
  readonly address: Address
  /** Undefined if the account did not exist. */
  readonly before: Account | undefined
  /**
   * Undefined if the account no longer exists. Its `storageRoot` is that of `before` (or empty after a reset) until the
   * trie update sets the new one.
   */
  readonly after: Account | undefined
  /** Final changes under `after.incarnation`, values 32 bytes, each with `before` differing from `after`. */
  readonly slots: readonly SlotChange[]
}

/** The changes of one block to the state: each account once, and every deployed code. */
export type StateChanges = {
  readonly accounts: readonly AccountChange[]
  readonly codes: readonly { readonly codeHash: Hash; readonly code: Uint8Array }[]
}

/** The number of changed accounts and slots. */
export const countChanges = ({ accounts }: StateChanges): number =>
  accounts.reduce((sum, { slots }) => sum + 1 + slots.length, 0)
