/** `quorate/evm`: executes transactions, calls and system calls on a state, synchronously. */
export { type ChainConfiguration, type Rules } from '../genesis/configuration.ts'
export { FORKS, type ForkName } from '../genesis/fork.ts'
export { type Account, type AccountChange, MissingEntries, type StateChanges } from '../state/account.ts'
export type { StateReader } from '../state/account.ts'
export { EMPTY_STATE } from '../state/emptyState.ts'
export type { WorldState } from '../state/world.ts'
export { createWorldState } from '../state/worldState.ts'
export type { BlockEnvironment } from './transaction/environment.ts'
export {
  callMessage,
  executeTransaction,
  executeTransactionSteps,
  type Message,
} from './transaction/execute.ts'
export { systemCall, type SystemCallResult } from './transaction/execute.ts'
export type { Precompile } from './precompiles/precompile.ts'
export { precompileAddresses, precompileAt } from './precompiles/precompiles.ts'
export { type HaltReason, InvalidTransaction, type TransactionResult } from './transaction/result.ts'
export type { InvalidTransactionCode } from './transaction/result.ts'
export type { TraceCall, TraceResult, Tracer, TraceStep } from './interpreter/tracer.ts'
