import type { Address } from '../bytes/bytes.ts'
import type { Transaction } from '../block/transaction.ts'
import { delegateOf } from '../evm/frames/delegation.ts'
import { InvalidTransaction, type InvalidTransactionCode } from '../evm/transaction/result.ts'
import { type BlockLimits, checkTransaction } from '../evm/transaction/validity.ts'
import { forkIsAtLeast } from '../genesis/fork.ts'
import { POOL_LIMITS, POOL_TRANSACTION_BYTES_MAX, type PoolLimits } from './limits.ts'
import type { PoolAccount, PoolHead, PoolOrigin } from './pool.ts'
import { checkPrice } from './price.ts'
import { type RejectionCode, TransactionRejected } from './rejection.ts'

export type PoolOptions = {
  readonly limits: PoolLimits
  /** Besu's `--tx-pool-min-gas-price`, wei; undefined for the minimum of this node's blocks. */
  readonly minGasPrice: bigint | undefined
  /** Evicts transactions of peers before those of RPC at the same price; false is Besu's `--tx-pool-no-local-priority`. */
  readonly localPriority: boolean
  /** Besu's `--tx-pool-price-bump`; 0 on a `zeroBaseFee` network, where all prices are equal. */
  readonly priceBumpPercent: number
  /** Besu's `--rpc-tx-feecap`: the highest gas price in wei accepted from RPC; 0 for any. */
  readonly feeCapWei: bigint
  /** Besu's `--p2p-tx-feecap`: the highest gas price in wei accepted from peers; 0 for any. */
  readonly peerFeeCapWei: bigint
  /** Besu's `--tx-pool-priority-senders`, hex without 0x: included first in a block, and evicted last. */
  readonly prioritySenders: ReadonlySet<string>
  /** Besu's `--strict-tx-replay-protection-enabled`: refuses local transactions without chain id. */
  readonly strictReplayProtection: boolean
  /** Besu's `--tx-pool-enable-balance-check`: refuses transactions that their sender cannot pay for. */
  readonly balanceCheck: boolean
  /** Besu's `--tx-pool-limit-by-account-percentage`: the part of the pool for one sender. */
  readonly senderShare: number
  /** The reason why the permission lists refuse a transaction of an account; undefined when they permit it. */
  readonly refusesSender?: (sender: Address, transaction: Transaction) => string | undefined
}

/** Besu's defaults, except the balance check and the sender's share, which Besu applies to one kind of pool only. */
export const POOL_OPTIONS: PoolOptions = {
  limits: POOL_LIMITS,
  minGasPrice: undefined,
  localPriority: true,
  priceBumpPercent: 10,
  feeCapWei: 1_000_000_000_000_000_000n,
  peerFeeCapWei: 0n,
  prioritySenders: new Set(),
  strictReplayProtection: false,
  balanceCheck: true,
  senderShare: 0.05,
}

/** Besu's answers to violated protocol rules. */
const REJECTION_OF: Readonly<Partial<Record<InvalidTransactionCode, RejectionCode>>> = {
  TYPE_NOT_SUPPORTED: 'INVALID_TYPE',
  WRONG_CHAIN_ID: 'WRONG_CHAIN_ID',
  INVALID_SIGNATURE: 'INVALID_SIGNATURE',
  NONCE_OVERFLOW: 'NONCE_OVERFLOW',
  GAS_ABOVE_TRANSACTION_CAP: 'GAS_CAP_EXCEEDED',
  INITCODE_TOO_LARGE: 'INITCODE_TOO_LARGE',
  INTRINSIC_GAS: 'INTRINSIC_GAS',
  PRIORITY_FEE_ABOVE_MAX_FEE: 'PRIORITY_FEE_ABOVE_MAX_FEE',
  UPFRONT_COST_OVERFLOW: 'UPFRONT_COST_OVERFLOW',
  NO_BLOBS: 'NO_BLOBS',
  TOO_MANY_BLOBS: 'TOO_MANY_BLOBS',
  BLOB_VERSION: 'INVALID_VERSIONED_HASHES',
  EMPTY_AUTHORIZATION_LIST: 'INVALID_AUTHORIZATION_LIST',
  SET_CODE_CREATES_CONTRACT: 'INVALID_AUTHORIZATION_LIST',
}

/** No limits of a block: the pool checks the gas limit later, and the fees by its own rule. */
const NO_LIMITS: BlockLimits = { gasLimit: undefined, baseFeePerGas: undefined, blobBaseFee: undefined }

const checkFeeCap = (
  { maxFeePerGas: price }: Transaction,
  { local }: PoolOrigin,
  { feeCapWei, peerFeeCapWei }: PoolOptions,
): void => {
  const capWei = local ? feeCapWei : peerFeeCapWei
  if (capWei > 0n && price > capWei)
    throw new TransactionRejected(
      'FEE_CAP_EXCEEDED',
      `the gas price ${price} wei is above this node's limit of ${capWei} wei (--${local ? 'rpc' : 'p2p'}-tx-feecap)`,
    )
}

const checkForm = (transaction: Transaction, { rules, acceptsBlobs }: PoolHead): void => {
  if (transaction.type === 3 && !acceptsBlobs)
    throw new TransactionRejected(
      'INVALID_TYPE',
      'blob transactions are not accepted: a QBFT network does not store blobs',
    )
  if (transaction.encoded.length > POOL_TRANSACTION_BYTES_MAX)
    throw new TransactionRejected(
      'TOO_LARGE',
      `the transaction has ${transaction.encoded.length} bytes, at most ${POOL_TRANSACTION_BYTES_MAX} are accepted`,
    )
  if (transaction.chainId !== undefined && !forkIsAtLeast(rules.fork, 'spuriousDragon'))
    throw new TransactionRejected('CHAIN_ID_NOT_SUPPORTED', `${rules.fork} has no chain ids (EIP-155)`)
  try {
    checkTransaction(rules, NO_LIMITS, transaction)
  } catch (error) {
    const code = error instanceof InvalidTransaction ? REJECTION_OF[error.code] : undefined
    if (code === undefined) throw error
    throw new TransactionRejected(code, (error as InvalidTransaction).message)
  }
}

/**
 * Checks a transaction in Besu's order: price, form, gas, replay protection, block gas limit, nonce, sender. The caller
 * then checks the funds of the sender, which depend on its other pooled transactions (see funds.ts).
 * @returns the sender's account
 * @throws TransactionRejected
 */
export const admit = (
  transaction: Transaction,
  sender: Address,
  head: PoolHead,
  origin: PoolOrigin,
  options: PoolOptions,
): PoolAccount => {
  const minGasPrice = options.minGasPrice ?? head.minGasPrice
  checkFeeCap(transaction, origin, options)
  if (!origin.local) checkPrice(transaction, head, origin, minGasPrice)
  checkForm(transaction, head)
  if (origin.local && options.strictReplayProtection && transaction.chainId === undefined)
    throw new TransactionRejected('CHAIN_ID_REQUIRED', 'signed without a chain id; sign it with EIP-155')
  if (transaction.gasLimit > head.blockGasLimit)
    throw new TransactionRejected(
      'BLOCK_GAS_LIMIT_EXCEEDED',
      `the gas limit ${transaction.gasLimit} is above the block's ${head.blockGasLimit}`,
    )
  const account = head.account(sender)
  const { nonce: accountNonce } = account
  if (transaction.nonce < accountNonce)
    throw new TransactionRejected(
      'NONCE_TOO_LOW',
      `nonce ${transaction.nonce} is used, the account's next one is ${accountNonce}`,
    )
  // EIP-7702: an account with delegation code still has its key.
  if (account.hasCode && delegateOf(head.code(sender)) === undefined && head.rules.contractsMaySend !== true)
    throw new TransactionRejected('SENDER_NOT_AUTHORIZED', 'the sender is a contract (EIP-3607)')
  const refusal = options.refusesSender?.(sender, transaction)
  if (refusal !== undefined) throw new TransactionRejected('SENDER_NOT_AUTHORIZED', refusal)
  // As in Besu, a used nonce is reported before a low price.
  if (origin.local) checkPrice(transaction, head, origin, minGasPrice)
  const { futureBySenderMax } = options.limits
  if (transaction.nonce >= accountNonce + BigInt(futureBySenderMax))
    throw new TransactionRejected(
      'NONCE_TOO_DISTANT',
      `nonce ${transaction.nonce} is ${futureBySenderMax} or more above the account's next one, ${accountNonce}`,
    )
  return account
}

/** A replacement of a pooled transaction must raise both prices by the price bump. @throws TransactionRejected */
export const checkReplacement = (pooled: Transaction, next: Transaction, options: PoolOptions): void => {
  const bump = 100n + BigInt(options.priceBumpPercent)
  const raises = (before: bigint, after: bigint): boolean => after * 100n >= before * bump
  if (
    !raises(pooled.maxFeePerGas, next.maxFeePerGas) ||
    !raises(pooled.maxPriorityFeePerGas, next.maxPriorityFeePerGas)
  )
    throw new TransactionRejected(
      'REPLACEMENT_UNDERPRICED',
      `nonce ${pooled.nonce} is pooled at ${pooled.maxFeePerGas} wei with ${pooled.maxPriorityFeePerGas} wei priority; a replacement must raise both by ${options.priceBumpPercent} %`,
    )
}
