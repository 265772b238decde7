import { gasPriceOf } from '../block/transactionPrice.ts'
import type { Transaction } from '../block/transaction.ts'
import { GAS_PER_BLOB } from '../evm/transaction/validity.ts'

/** The most wei that the sender can have to pay. */
export const upfrontCost = (transaction: Transaction): bigint => {
  const cost = transaction.gasLimit * transaction.maxFeePerGas + transaction.value
  if (transaction.type !== 3) return cost
  return cost + GAS_PER_BLOB * BigInt(transaction.blobVersionedHashes.length) * transaction.maxFeePerBlobGas
}

/** Wei that the transaction takes from its sender at this base fee: what later ones of the sender cannot spend. */
export const expectedCost = (transaction: Transaction, baseFeePerGas: bigint | undefined): bigint =>
  transaction.gasLimit * gasPriceOf(transaction, baseFeePerGas) + transaction.value
