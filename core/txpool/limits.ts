/** What bounds the pool. Anyone who may reach the RPC can fill it, so everything in it is bounded. */
export type PoolLimits = {
  readonly transactionsMax: number
  readonly bytesMax: number
  readonly futureBySenderMax: number
}

/** Some seconds of full blocks at the rates aimed for; about a kilobyte of decoded transaction each. */
export const POOL_TRANSACTIONS_MAX = 32_768

/** Encoded bytes: without it, large calldata would fill memory long before the count does. */
export const POOL_BYTES_MAX = 64 * 1024 * 1024

/** Besu's `--tx-pool-max-future-by-sender`: nonces from the account's own on, so one sender cannot fill the pool. */
export const POOL_FUTURE_BY_SENDER_MAX = 200

/** One transaction: no block that must pass between validators may be made of a single larger one. */
export const POOL_TRANSACTION_BYTES_MAX = 1024 * 1024

export const POOL_LIMITS: PoolLimits = {
  transactionsMax: POOL_TRANSACTIONS_MAX,
  bytesMax: POOL_BYTES_MAX,
  futureBySenderMax: POOL_FUTURE_BY_SENDER_MAX,
}
