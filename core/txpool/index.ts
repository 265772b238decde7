/** `quorate/txpool`: the transaction pool. */
export { POOL_OPTIONS, type PoolOptions } from './admission.ts'
export type { Explanation } from './explain.ts'
export { poolHeadOf, type PriceFloor } from './head.ts'
export { POOL_LIMITS, type PoolLimits } from './limits.ts'
export type { PooledTransaction, PoolHead, PoolOrigin, TransactionPool } from './pool.ts'
export { REJECTIONS, type RejectionCode, TransactionRejected } from './rejection.ts'
export { createTransactionPool } from './transactionPool.ts'
