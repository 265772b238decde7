import type { Address } from '../../../core/bytes/bytes.ts'

/** A transaction of the chain by its block and its index there. */
export type TransactionPlace = { readonly block: bigint; readonly index: number }

/** Transactions by sender, recipient and created contract. Calls inside transactions are not indexed. */
export type AccountIndex = {
  /** At most `limit` transactions of an account in blocks below `block`, the latest first. */
  readonly before: (address: Address, block: bigint, limit: number) => readonly TransactionPlace[]
  /** At most `limit` transactions of an account in blocks above `block`, the earliest first. */
  readonly after: (address: Address, block: bigint, limit: number) => readonly TransactionPlace[]
  /** The transactions of an account in one block, the latest first. */
  readonly inBlock: (address: Address, block: bigint) => readonly TransactionPlace[]
  /** The transaction that created a contract; undefined for one that another contract created. */
  readonly creator: (address: Address) => TransactionPlace | undefined
}
