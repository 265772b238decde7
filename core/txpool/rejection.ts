/** Reasons of a rejection, with the JSON-RPC code and text of Besu's answer. */
export const REJECTIONS = {
  ALREADY_KNOWN: { rpcCode: -32000, text: 'Known transaction' },
  FEE_CAP_EXCEEDED: { rpcCode: -32000, text: 'Transaction fee cap exceeded' },
  GAS_PRICE_TOO_LOW: { rpcCode: -32009, text: 'Gas price below configured minimum gas price' },
  /** Besu only checks this when it builds a block. */
  PRIORITY_FEE_TOO_LOW: { rpcCode: -32009, text: 'Priority fee below configured minimum priority fee' },
  INVALID_TYPE: { rpcCode: -32602, text: 'Invalid transaction type' },
  WRONG_CHAIN_ID: { rpcCode: -32000, text: 'Wrong chainId' },
  CHAIN_ID_REQUIRED: { rpcCode: -32000, text: 'ChainId is required' },
  CHAIN_ID_NOT_SUPPORTED: { rpcCode: -32000, text: 'ChainId not supported' },
  INVALID_SIGNATURE: { rpcCode: -32002, text: 'Invalid signature' },
  GAS_CAP_EXCEEDED: { rpcCode: -32005, text: 'Transaction gas limit cap exceeded' },
  BLOCK_GAS_LIMIT_EXCEEDED: { rpcCode: -32005, text: 'Transaction gas limit exceeds block gas limit' },
  INTRINSIC_GAS: { rpcCode: -32003, text: 'Intrinsic gas exceeds gas limit' },
  PRIORITY_FEE_ABOVE_MAX_FEE: {
    rpcCode: -32000,
    text: 'Max priority fee per gas exceeds max fee per gas',
  },
  SENDER_NOT_AUTHORIZED: {
    rpcCode: -32007,
    text: 'Sender account not authorized to send transactions',
  },
  /** Besu's text of eth_call; its pool accepts these. ethers and viem recognise `insufficient funds`, with which the details begin. */
  INSUFFICIENT_FUNDS: { rpcCode: -32004, text: 'Upfront cost exceeds account balance' },
  NONCE_TOO_LOW: { rpcCode: -32001, text: 'Nonce too low' },
  NONCE_TOO_DISTANT: {
    rpcCode: -32000,
    text: 'Transaction nonce is too distant from current sender nonce',
  },
  REPLACEMENT_UNDERPRICED: { rpcCode: -32000, text: 'Replacement transaction underpriced' },
  NO_BLOBS: {
    rpcCode: -32602,
    text: 'Invalid blob count (blob transactions must have at least one blob)',
  },
  TOO_MANY_BLOBS: { rpcCode: -32000, text: 'Total blob gas too high' },
  INVALID_VERSIONED_HASHES: { rpcCode: -32602, text: 'Invalid versioned hashes params' },
  /** Besu answers these with `Internal error`, although the sender caused them. */
  INITCODE_TOO_LARGE: { rpcCode: -32602, text: 'Max initcode size exceeded' },
  NONCE_OVERFLOW: { rpcCode: -32602, text: 'Nonce has max value' },
  UPFRONT_COST_OVERFLOW: { rpcCode: -32602, text: 'Upfront cost exceeds 256 bits' },
  INVALID_AUTHORIZATION_LIST: { rpcCode: -32602, text: 'Invalid authorization list' },
  /** Besu drops these silently. */
  POOL_FULL: { rpcCode: -32000, text: 'Transaction pool is full' },
  SENDER_WAITS: { rpcCode: -32000, text: 'Sender has to wait: a transaction of it ran too long' },
  SENDER_LIMIT_REACHED: { rpcCode: -32000, text: 'Sender has too many transactions in the pool' },
  TOO_LARGE: { rpcCode: -32000, text: 'Transaction is too large' },
} as const

export type RejectionCode = keyof typeof REJECTIONS

/** A transaction that the pool refused; the pool is unchanged. */
export class TransactionRejected extends Error {
  override readonly name = 'TransactionRejected'
  readonly code: RejectionCode
  readonly rpcCode: number
  /** The compared values and the remedy, for people; part of the message where Besu's has details, too. */
  readonly details: string
  constructor(code: RejectionCode, details: string) {
    super(code === 'INSUFFICIENT_FUNDS' ? `${REJECTIONS[code].text} (${details})` : REJECTIONS[code].text)
    this.code = code
    this.rpcCode = REJECTIONS[code].rpcCode
    this.details = details
  }
}
