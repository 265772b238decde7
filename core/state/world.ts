import type { Address } from '../bytes/bytes.ts'
import type { Steps } from '../steps.ts'
import type { StateChanges } from './account.ts'

/**
 * The state for executing a block. Reads fall through to a StateReader; writes stay in memory, with an undo log to revert
 * failed calls. `createWorldState(reader)` creates one for a block or a simulation.
 */
export type WorldState = {
  exists(address: Address): boolean
  balance(address: Address): bigint
  nonce(address: Address): bigint
  code(address: Address): Uint8Array
  /** 32-byte slot and value. */
  storage(address: Address, slot: Uint8Array): Uint8Array

  /** Increases the balance and creates the account; an increase by zero touches it (EIP-161). */
  addBalance(address: Address, wei: bigint): void
  setBalance(address: Address, wei: bigint): void
  setNonce(address: Address, nonce: bigint): void
  setCode(address: Address, code: Uint8Array): void
  setStorage(address: Address, slot: Uint8Array, value: Uint8Array): void
  /** Resets the account's storage to empty. */
  clearStorage(address: Address): void

  /** A snapshot for `revert`; only between transactions. */
  snapshot(): number
  revert(snapshot: number): void
  /** Undoes an unfinished transaction, in steps, back to the snapshot before it. */
  revertSteps(snapshot: number): Steps<void>
  /** Keeps all changes so far; earlier snapshots can no longer be reverted to. */
  keep(): void

  /**
   * All differences from the reader, each account and slot once. `storageRoot` is not updated; new and reset accounts have
   * the incarnation `blockNumber`. May be called repeatedly.
   */
  changes(blockNumber: bigint): StateChanges
  /** As `changes`, in steps. */
  changesSteps(blockNumber: bigint): Steps<StateChanges>
  /**
   * True when an execution requested more memory than the interpreter has, with enough gas for it; it ended as out of gas.
   */
  isMemoryMissing(): boolean
}
