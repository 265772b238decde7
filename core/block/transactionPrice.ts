import { minBigint } from '../bytes/integer.ts'
import type { Transaction } from './transaction.ts'

type Fees = Pick<Transaction, 'maxFeePerGas' | 'maxPriorityFeePerGas'>

/** Wei per gas that the sender pays at this base fee (EIP-1559); the base fee is undefined before London. */
export const gasPriceOf = (transaction: Fees, baseFeePerGas: bigint | undefined): bigint =>
  minBigint(transaction.maxFeePerGas, (baseFeePerGas ?? 0n) + transaction.maxPriorityFeePerGas)

/** Wei per gas that the block's proposer receives; negative when the transaction does not pay the base fee. */
export const effectiveTip = (transaction: Fees, baseFeePerGas: bigint | undefined): bigint =>
  gasPriceOf(transaction, baseFeePerGas) - (baseFeePerGas ?? 0n)
