import { DecodeError } from '../../../core/block/codec/error.ts'
import type { RejectionCode, TransactionRejected } from '../../../core/txpool/rejection.ts'
import { RpcError } from '../errors.ts'

/** Besu's TransactionInvalidReason for each rejection of the pool. */
const REASONS: Readonly<Record<RejectionCode, string>> = {
  ALREADY_KNOWN: 'TRANSACTION_ALREADY_KNOWN',
  FEE_CAP_EXCEEDED: 'TX_FEECAP_EXCEEDED',
  GAS_PRICE_TOO_LOW: 'GAS_PRICE_TOO_LOW',
  INVALID_TYPE: 'INVALID_TRANSACTION_FORMAT',
  WRONG_CHAIN_ID: 'WRONG_CHAIN_ID',
  CHAIN_ID_REQUIRED: 'REPLAY_PROTECTED_SIGNATURE_REQUIRED',
  CHAIN_ID_NOT_SUPPORTED: 'REPLAY_PROTECTED_SIGNATURES_NOT_SUPPORTED',
  INVALID_SIGNATURE: 'INVALID_SIGNATURE',
  GAS_CAP_EXCEEDED: 'EXCEEDS_TRANSACTION_GAS_LIMIT',
  BLOCK_GAS_LIMIT_EXCEEDED: 'EXCEEDS_BLOCK_GAS_LIMIT',
  INTRINSIC_GAS: 'INTRINSIC_GAS_EXCEEDS_GAS_LIMIT',
  PRIORITY_FEE_ABOVE_MAX_FEE: 'MAX_PRIORITY_FEE_PER_GAS_EXCEEDS_MAX_FEE_PER_GAS',
  SENDER_NOT_AUTHORIZED: 'TX_SENDER_NOT_AUTHORIZED',
  NONCE_TOO_LOW: 'NONCE_TOO_LOW',
  NONCE_TOO_DISTANT: 'NONCE_TOO_FAR_IN_FUTURE_FOR_SENDER',
  REPLACEMENT_UNDERPRICED: 'TRANSACTION_REPLACEMENT_UNDERPRICED',
  NO_BLOBS: 'INVALID_BLOB_COUNT',
  TOO_MANY_BLOBS: 'TOTAL_BLOB_GAS_TOO_HIGH',
  INVALID_VERSIONED_HASHES: 'INVALID_BLOBS',
  INITCODE_TOO_LARGE: 'INITCODE_TOO_LARGE',
  NONCE_OVERFLOW: 'NONCE_OVERFLOW',
  UPFRONT_COST_OVERFLOW: 'UPFRONT_COST_EXCEEDS_UINT256',
  INVALID_AUTHORIZATION_LIST: 'EMPTY_CODE_DELEGATION',
  INSUFFICIENT_FUNDS: 'UPFRONT_COST_EXCEEDS_BALANCE',
  // Besu accepts and drops these, or has no such limit.
  POOL_FULL: 'POOL_FULL',
  SENDER_WAITS: 'SENDER_WAITS',
  TOO_LARGE: 'TOO_LARGE',
  PRIORITY_FEE_TOO_LOW: 'PRIORITY_FEE_TOO_LOW',
  SENDER_LIMIT_REACHED: 'SENDER_LIMIT_REACHED',
}

/** Besu's `errorMessage` of a transaction that debug_batchSendRawTransaction did not add to the pool. */
export const batchErrorOf = (refused: RpcError | TransactionRejected): string => {
  if (!(refused instanceof RpcError)) return REASONS[refused.code]
  if (refused.code === 'INVALID_SIGNATURE') return 'INVALID_SIGNATURE'
  if (refused.code === 'BLOBS_INVALID') return 'INVALID_BLOBS'
  return refused.cause instanceof DecodeError
    ? 'Invalid RLP in raw transaction hex'
    : 'Invalid raw transaction hex'
}
