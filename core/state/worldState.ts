import type { Address } from '../bytes/bytes.ts'
import type { StateReader } from './account.ts'
import { changesOf, changesSteps } from './changes.ts'
import type { ExecutionState } from './executionState.ts'
import {
  accountOf,
  codeOf,
  createExecutionState,
  ensureExists,
  increaseBalance,
  keepChanges,
  putBalance,
  putCode,
  putNonce,
  takeCheckpoint,
  undoState,
  undoStateSteps,
} from './executionState.ts'
import { limbsToBytes, readLimbs } from './limbs.ts'
import { resetStorage, slotOfBytes, storageOf, writeSlot } from './slots.ts'
import { SLOT_CURRENT, slotData, slotStart } from './storageTable.ts'
import { dropTransaction, isDead } from './transaction.ts'
import type { WorldState } from './world.ts'

const STATE = Symbol('execution state')

type World = WorldState & { readonly [STATE]: ExecutionState }

/** Creates a world over the reader, for one block or one simulation. */
export const createWorldState = (reader: StateReader): WorldState => {
  const state = createExecutionState(reader)
  const words = new Int32Array(8)
  const world: World = {
    [STATE]: state,
    exists: address => {
      const account = accountOf(state, address)
      return account.exists && !isDead(state, account)
    },
    balance: address => accountOf(state, address).balance,
    nonce: address => accountOf(state, address).nonce,
    code: address => codeOf(state, accountOf(state, address)),
    storage: (address, slot) => {
      const account = accountOf(state, address)
      const id = slotOfBytes(state, account, slot)
      return limbsToBytes(slotData(storageOf(account), id), slotStart(id) + SLOT_CURRENT)
    },
    addBalance: (address, wei) => increaseBalance(state, accountOf(state, address), wei),
    setBalance: (address, wei) => putBalance(state, accountOf(state, address), wei),
    setNonce: (address, nonce) => putNonce(state, accountOf(state, address), nonce),
    setCode: (address: Address, code) => putCode(state, accountOf(state, address), code),
    setStorage: (address, slot, value) => {
      const account = accountOf(state, address)
      const id = slotOfBytes(state, account, slot)
      readLimbs(value, words, 0)
      ensureExists(state, account)
      writeSlot(state, storageOf(account), id, words, 0)
    },
    clearStorage: address => resetStorage(state, accountOf(state, address)),
    snapshot: () => takeCheckpoint(state),
    revert: snapshot => undoState(state, snapshot),
    revertSteps: function* (snapshot) {
      yield* undoStateSteps(state, snapshot)
      dropTransaction(state)
    },
    keep: () => keepChanges(state),
    changes: blockNumber => changesOf(state, blockNumber),
    changesSteps: blockNumber => changesSteps(state, blockNumber),
    isMemoryMissing: () => state.memoryMissing,
  }
  return world
}

/** The state behind a world of `createWorldState`, for the interpreter. @throws TypeError for any other world. */
export const executionStateOf = (world: WorldState): ExecutionState => {
  const state = (world as Partial<World>)[STATE]
  if (state === undefined) throw new TypeError('createWorldState did not create this world')
  return state
}
