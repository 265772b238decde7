import type { Address } from '../../bytes/bytes.ts'
import type { Log } from '../../block/receipt.ts'

/**
 * Why execution stopped exceptionally. The texts are those of Besu's ExceptionalHaltReason; the last three are its
 * SoftFailureReason, of a call or creation that did not begin and gave the gas back.
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

/** The reason for a byte that is no opcode of the fork, and for INVALID itself. */
export const invalidOpcode = (byte: number): HaltReason =>
  `Invalid opcode: 0x${byte.toString(16).padStart(2, '0')}`

export const isInvalidOpcode = (reason: HaltReason): boolean => reason.startsWith('Invalid opcode: ')

export type TransactionResult = {
  readonly success: boolean
  /** After refunds and the EIP-7623 floor. */
  readonly gasUsed: bigint
  /** The most gas that was in use at once: `gasUsed` before refunds. */
  readonly gasUsedMax: bigint
  /** Return data of the top-level call, revert data when it reverted; for a creation what its code gave. */
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

/** A transaction that may not stand in the block: nothing was executed, the state is as it was. */
export class InvalidTransaction extends Error {
  override readonly name = 'InvalidTransaction'
  readonly code: InvalidTransactionCode
  constructor(code: InvalidTransactionCode, message: string) {
    super(message)
    this.code = code
  }
}
