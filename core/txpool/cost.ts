import { gasPriceOf } from '../block/transactionPrice.ts'
import { GAS_PER_BLOB, type Transaction } from '../block/transaction.ts'

/** Maximum wei that the sender pays. */
export const upfrontCost = (transaction: Transaction): bigint => {
  const cost = transaction.gasLimit * transaction.maxFeePerGas + transaction.value
  if (transaction.type !== 3) return cost
  return cost + GAS_PER_BLOB * BigInt(transaction.blobVersionedHashes.length) * transaction.maxFeePerBlobGas
}

/** Wei that the sender pays at this base fee; its later transactions cannot spend them. */
export const expectedCost = (transaction: Transaction, baseFeePerGas: bigint | undefined): bigint =>
  transaction.gasLimit * gasPriceOf(transaction, baseFeePerGas) + transaction.value
