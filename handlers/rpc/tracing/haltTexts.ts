import { type HaltReason, isInvalidOpcode } from '../../../core/evm/transaction/result.ts'

const INVALID_OPERATION = 'INVALID_OPERATION'

/** Names of Besu's ExceptionalHaltReason, the errors of struct logs; soft failures do not halt a step. */
const NAMES: Readonly<Partial<Record<HaltReason, string>>> = {
  'Out of gas': 'INSUFFICIENT_GAS',
  'Stack underflow': 'INSUFFICIENT_STACK_ITEMS',
  'Bad jump destination': 'INVALID_JUMP_DESTINATION',
  'Out of bounds': 'INVALID_RETURN_DATA_BUFFER_ACCESS',
  'Out of stack': 'TOO_MANY_STACK_ITEMS',
  'Illegal state change': 'ILLEGAL_STATE_CHANGE',
  'Code is too large': 'CODE_TOO_LARGE',
  'Code is invalid': 'INVALID_CODE',
  'Precompile error': 'PRECOMPILE_ERROR',
}

/** The `error` of a struct log, as Besu writes it. */
export const haltName = (reason: HaltReason): string =>
  isInvalidOpcode(reason) ? INVALID_OPERATION : (NAMES[reason] ?? reason)

/** The `error` of a trace of the `trace_` methods; it does not name the opcode, as in Besu and OpenEthereum. */
export const flatHaltText = (reason: HaltReason): string =>
  isInvalidOpcode(reason) ? 'Bad instruction' : reason
