import type { Usage } from '../../evm/interpreter/runLimit.ts'
import type { RecoveredTransaction } from '../../block/transaction.ts'

/** Gas between two checks: tens of microseconds of plain opcodes, some milliseconds if each reads the state. */
export const CHECK_GAS = 20_000

/**
 * Most memory in bytes of the execution of a block, as estimated by `Usage`; no client can hold more. Not a rule of blocks:
 * a sealed block that needs more stops the node.
 */
export const EXECUTION_BYTES_MAX = 4 * 1024 * 1024 * 1024

/** Stops a transaction during block building: it is left out, as if it had not started. */
export class TransactionStopped extends Error {
  override readonly name = 'TransactionStopped'
  readonly code = 'TRANSACTION_STOPPED'
}

/** Ends the execution of a block without a quorum of seals, without a result: the block may be valid. */
export class ExecutionStopped extends Error {
  override readonly name = 'ExecutionStopped'
  readonly code = 'EXECUTION_STOPPED'
}

/** The bounds of each transaction during block building; not a rule of blocks. */
export type SelectionBounds = {
  /** Called when a transaction starts. */
  readonly begin: (recovered: RecoveredTransaction) => void
  /** Called repeatedly while it runs. Returns the reason why it must stop; undefined while it may continue. */
  readonly exceeded: (usage: Usage) => string | undefined
}
