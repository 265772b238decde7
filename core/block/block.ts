import type { Address } from '../bytes/bytes.ts'
import type { Header } from './header.ts'
import type { Transaction } from './transaction.ts'

/** EIP-4895. */
export type Withdrawal = {
  readonly index: bigint
  readonly validatorIndex: bigint
  readonly address: Address
  /** Gwei. */
  readonly amountGwei: bigint
}

export type Block = {
  readonly header: Header
  readonly transactions: readonly Transaction[]
  readonly ommers: readonly Header[]
  /** Undefined before Shanghai. */
  readonly withdrawals: readonly Withdrawal[] | undefined
}
