import { effectiveTip, gasPriceOf } from '../block/transactionPrice.ts'
import type { Transaction } from '../block/transaction.ts'
import type { PoolHead, PoolOrigin } from './pool.ts'
import { TransactionRejected } from './rejection.ts'

/** An eighth of less is nothing, so the base fee of EIP-1559 does not fall below 7 wei: who offers less is never mined. */
const BASE_FEE_FLOOR = 7n

/**
 * How many times the next base fee counts for a transaction of a peer. The base fee may have fallen since the peer took it,
 * by an eighth a block: what was good enough within the last five blocks is not lost on its way.
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
 * The price rule, the same for RPC and peers: what the transaction pays in the next block reaches the node's minimum gas
 * price. The block builder asks for nothing that this rule does not, so what the pool takes a block takes.
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

/** Why the next block does not take the transaction at its price; undefined when it does. */
export const priceHindrance = (transaction: Transaction, head: PoolHead): string | undefined => {
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
