import type { Address } from '../bytes/bytes.ts'
import type { Steps } from '../steps.ts'
import type { StateChanges } from './account.ts'

/**
 * The state a block is executed on: reads fall through to a StateReader, writes stay here with a journal, so that a
 * failed call is undone. Made by `createWorldState(reader)`; one lives for one block or one simulation.
 */
export type WorldState = {
  exists(address: Address): boolean
  balance(address: Address): bigint
  nonce(address: Address): bigint
  code(address: Address): Uint8Array
  /** 32-byte slot and value. */
  storage(address: Address, slot: Uint8Array): Uint8Array

  /** Plain increase, creating the account; an increase by zero touches it (EIP-161). */
  addBalance(address: Address, wei: bigint): void
  setBalance(address: Address, wei: bigint): void
  setNonce(address: Address, nonce: bigint): void
  setCode(address: Address, code: Uint8Array): void
  setStorage(address: Address, slot: Uint8Array, value: Uint8Array): void
  /** Makes the storage of the account begin empty. */
  clearStorage(address: Address): void

  /** A point to come back to with `revert`; only between transactions. */
  snapshot(): number
  revert(snapshot: number): void
  /** Undoes a transaction that did not come to its end, in steps, back to the snapshot before it. */
  revertSteps(snapshot: number): Steps<void>
  /** What was done so far stays: no snapshot taken before is come back to. */
  keep(): void

  /**
   * Everything that differs from the reader, accounts and slots each once, `storageRoot` not yet updated. New and reset
   * accounts get the incarnation `blockNumber`. May be called again later; nothing is consumed.
   */
  changes(blockNumber: bigint): StateChanges
  /** The same in steps. */
  changesSteps(blockNumber: bigint): Steps<StateChanges>
  /** True when an execution asked for more memory than the interpreter has, and had the gas for it: it ran out of gas. */
  isMemoryMissing(): boolean
}
