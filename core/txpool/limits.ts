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

/**
 * Part of the pool for senders without a nonce and a balance. Where gas is free anybody can make up any number of them:
 * random signatures recover to some.
 */
export const POOL_UNKNOWN_SENDERS_SHARE = 0.1

export const POOL_LIMITS: PoolLimits = {
  transactionsMax: POOL_TRANSACTIONS_MAX,
  bytesMax: POOL_BYTES_MAX,
  futureBySenderMax: POOL_FUTURE_BY_SENDER_MAX,
}

/** A part of the limits, of one sender or of some; one transaction at least, of any size. */
export type PoolShare = { readonly transactionsMax: number; readonly bytesMax: number }

export const shareOf = ({ transactionsMax, bytesMax }: PoolLimits, share: number): PoolShare => ({
  transactionsMax: Math.max(1, Math.ceil(transactionsMax * share)),
  bytesMax: Math.max(Math.min(bytesMax, POOL_TRANSACTION_BYTES_MAX), Math.floor(bytesMax * share)),
})
