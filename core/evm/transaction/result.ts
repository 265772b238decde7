import type { Address } from '../../bytes/bytes.ts'
import type { Log } from '../../block/receipt.ts'

/**
 * The reason of an exceptional halt, with the texts of Besu's ExceptionalHaltReason. The last three are those of its
 * SoftFailureReason, for a call or creation that did not begin and returned the gas.
 */
export type HaltReason =
  | 'Out of gas'
  | 'Stack underflow'
  | 'Out of stack'
  | 'Bad jump destination'
  | `Invalid opcode: 0x${string}`
  | 'Out of bounds'
  | 'Illegal state change'
  | 'Code is too large'
  | 'Code is invalid'
  | 'Precompile error'
  | 'max call depth exceeded'
  | 'insufficient balance for transfer'
  | 'execution failed'

/** The reason for a byte that is not an opcode of the fork, and for INVALID. */
export const invalidOpcode = (byte: number): HaltReason =>
  `Invalid opcode: 0x${byte.toString(16).padStart(2, '0')}`

export const isInvalidOpcode = (reason: HaltReason): boolean => reason.startsWith('Invalid opcode: ')

export type TransactionResult = {
  readonly success: boolean
  /** After refunds and the EIP-7623 floor. */
  readonly gasUsed: bigint
  /** The highest gas use during the execution: `gasUsed` without refunds. */
  readonly gasUsedMax: bigint
  /** Return data of the top-level call, or its revert data; for a creation the deployed code. */
  readonly output: Uint8Array
  /** Empty when it failed. */
  readonly logs: readonly Log[]
  /** Set for a creation, whether it succeeded or not. */
  readonly contractAddress: Address | undefined
  /** Wei per gas. */
  readonly effectiveGasPrice: bigint
  readonly failure:
    | undefined
    | { readonly kind: 'revert' }
    | { readonly kind: 'halt'; readonly reason: HaltReason }
}

export type InvalidTransactionCode =
  | 'INVALID_SIGNATURE'
  | 'WRONG_CHAIN_ID'
  | 'TYPE_NOT_SUPPORTED'
  | 'NONCE_TOO_LOW'
  | 'NONCE_TOO_HIGH'
  | 'NONCE_OVERFLOW'
  | 'INTRINSIC_GAS'
  | 'GAS_ABOVE_BLOCK_LIMIT'
  | 'GAS_ABOVE_TRANSACTION_CAP'
  | 'INSUFFICIENT_FUNDS'
  | 'FEE_BELOW_BASE_FEE'
  | 'PRIORITY_FEE_ABOVE_MAX_FEE'
  | 'UPFRONT_COST_OVERFLOW'
  | 'SENDER_NOT_EOA'
  | 'INITCODE_TOO_LARGE'
  | 'NO_BLOBS'
  | 'TOO_MANY_BLOBS'
  | 'BLOB_VERSION'
  | 'BLOB_FEE_BELOW_BASE_FEE'
  | 'BLOB_CREATES_CONTRACT'
  | 'EMPTY_AUTHORIZATION_LIST'
  | 'SET_CODE_CREATES_CONTRACT'
  | 'BALANCE_OVERFLOW'

/** The block must not have this transaction at this position. It was not executed, and the state is unchanged. */
export class InvalidTransaction extends Error {
  override readonly name = 'InvalidTransaction'
  readonly code: InvalidTransactionCode
  constructor(code: InvalidTransactionCode, message: string) {
    super(message)
    this.code = code
  }
}
