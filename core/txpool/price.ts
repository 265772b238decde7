import { effectiveTip, gasPriceOf } from '../block/transactionPrice.ts'
import type { Transaction } from '../block/transaction.ts'
import type { PoolHead, PoolOrigin } from './pool.ts'
import { TransactionRejected } from './rejection.ts'

/** EIP-1559's base fee never falls below 7 wei, whose eighth rounds to 0: a lower price is never mined. */
const BASE_FEE_FLOOR = 7n

/**
 * Factor of the base fee in the price of a peer's transaction. The base fee may have fallen since the peer accepted it, by up to
 * an eighth per block: a transaction accepted within the last five blocks is not refused.
 */
const PEER_BASE_FEE_FACTOR = 2n

/** @throws TransactionRejected */
const checkFloor = ({ maxFeePerGas: price }: Transaction, head: PoolHead): void => {
  if ((head.nextBaseFeePerGas ?? 0n) >= BASE_FEE_FLOOR && price < BASE_FEE_FLOOR)
    throw new TransactionRejected(
      'GAS_PRICE_TOO_LOW',
      `the gas price ${price} wei is below ${BASE_FEE_FLOOR} wei, which the base fee never falls below`,
    )
}

/**
 * The price rule for RPC and peers: the price in the next block is at least the node's minimum gas price. The block builder
 * has no stricter rule, so a block includes the transactions that the pool accepts.
 * @throws TransactionRejected
 */
export const checkPrice = (
  transaction: Transaction,
  head: PoolHead,
  { local }: PoolOrigin,
  minGasPrice: bigint,
): void => {
  checkFloor(transaction, head)
  const baseFee = head.nextBaseFeePerGas
  const counted = baseFee === undefined || local ? baseFee : baseFee * PEER_BASE_FEE_FACTOR
  const price = gasPriceOf(transaction, counted)
  if (price < minGasPrice)
    throw new TransactionRejected(
      'GAS_PRICE_TOO_LOW',
      `it pays ${price} wei per gas at a base fee of ${counted ?? 0n} wei, less than this node's minimum of ${minGasPrice} wei (--min-gas-price): raise its gas price or priority fee`,
    )
  if (transaction.maxPriorityFeePerGas < head.minPriorityFee)
    throw new TransactionRejected(
      'PRIORITY_FEE_TOO_LOW',
      `its priority fee ${transaction.maxPriorityFeePerGas} wei is below this node's minimum of ${head.minPriorityFee} wei (--min-priority-fee)`,
    )
}

/** The reason why the next block cannot include the transaction at its price; undefined when it can. */
export const priceProblem = (transaction: Transaction, head: PoolHead): string | undefined => {
  const { nextBaseFeePerGas: baseFee, minGasPrice, minPriorityFee } = head
  const { maxFeePerGas } = transaction
  const tip = effectiveTip(transaction, baseFee)
  if (tip < 0n)
    return `its max fee per gas ${maxFeePerGas} wei is below the next block's base fee ${baseFee} wei`
  if (maxFeePerGas < minGasPrice)
    return `its max fee per gas ${maxFeePerGas} wei is below this node's minimum gas price ${minGasPrice} wei`
  if (tip < minPriorityFee)
    return `it leaves ${tip} wei per gas to the proposer, this node's minimum priority fee is ${minPriorityFee} wei`
  return undefined
}
