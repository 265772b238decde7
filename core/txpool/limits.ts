/** Limits of the pool: every client of the RPC can add transactions. */
export type PoolLimits = {
  readonly transactionsMax: number
  readonly bytesMax: number
  readonly futureBySenderMax: number
}

/** Full blocks of some seconds; a decoded transaction takes about a kilobyte. */
const POOL_TRANSACTIONS_MAX = 32_768

/** Encoded bytes: without this limit, large calldata would fill the memory long before the count is reached. */
const POOL_BYTES_MAX = 64 * 1024 * 1024

/** Besu's `--tx-pool-max-future-by-sender`: nonces from the account's nonce on, so that no sender can fill the pool. */
const POOL_FUTURE_BY_SENDER_MAX = 200

/** Encoded bytes of one transaction, so that one transaction cannot make a block too large for consensus messages. */
export const POOL_TRANSACTION_BYTES_MAX = 1024 * 1024

/**
 * Part of the pool for senders without nonce and balance. Without fees, anybody can create any number of them, because
 * random signatures recover to some address.
 */
export const POOL_UNKNOWN_SENDERS_SHARE = 0.1

export const POOL_LIMITS: PoolLimits = {
  transactionsMax: POOL_TRANSACTIONS_MAX,
  bytesMax: POOL_BYTES_MAX,
  futureBySenderMax: POOL_FUTURE_BY_SENDER_MAX,
}

/**
 * Senders whose first transaction arrives while a block is built, and that this block takes at most: as many as arrive in
 * a fraction of a second. The others are for the next block, so that a stream of senders cannot prolong the selection.
 */
export const LATE_SENDERS_MAX = 256

/** Limits of one sender or of a group; at least one transaction of any size. */
export type PoolShare = { readonly transactionsMax: number; readonly bytesMax: number }

export const shareOf = ({ transactionsMax, bytesMax }: PoolLimits, share: number): PoolShare => ({
  transactionsMax: Math.max(1, Math.ceil(transactionsMax * share)),
  bytesMax: Math.max(Math.min(bytesMax, POOL_TRANSACTION_BYTES_MAX), Math.floor(bytesMax * share)),
})
