import type { Usage } from '../../evm/interpreter/runLimit.ts'
import type { SenderTransaction } from '../../block/transaction.ts'

/** Gas between two looks at the clock: tens of microseconds of plain opcodes, some milliseconds where each reads the state. */
export const CHECK_GAS = 20_000

/** A transaction of a block that is being built has to end: it is left out, as if it had not begun. */
export class TransactionStopped extends Error {
  override readonly name = 'TransactionStopped'
  readonly code = 'TRANSACTION_STOPPED'
}

/** The execution of a block that no quorum has sealed yet is given up. Says nothing about the block's validity. */
export class ExecutionStopped extends Error {
  override readonly name = 'ExecutionStopped'
  readonly code = 'EXECUTION_STOPPED'
}

/** What bounds the transactions of a block that is being built. Never a rule of blocks. */
export type SelectionBounds = {
  /** A transaction begins. */
  readonly begin: (sent: SenderTransaction) => void
  /** Asked again and again while it runs: why it has to end now, undefined while it may go on. */
  readonly exceeded: (usage: Usage) => string | undefined
}
