import { toHex } from '../../../core/bytes/hex.ts'
import type { PooledTransaction, TransactionPool } from '../../../core/txpool/pool.ts'
import { RpcError } from '../errors.ts'

/** Encoded bytes of a pool that is answered whole, which become some four times as many characters. */
const POOL_CONTENT_BYTES_MAX = 16 * 1024 * 1024

type Accounts = readonly (readonly [account: string, transactions: readonly PooledTransaction[]])[]

/** geth's two parts of the pool: what a block could take, and what waits for an earlier nonce. @throws RpcError when it is too large */
export const wholeOf = (
  pool: TransactionPool,
  bytesMax = POOL_CONTENT_BYTES_MAX,
): { readonly pending: Accounts; readonly queued: Accounts } => {
  if (pool.bytes > bytesMax)
    throw new RpcError('POOL_TOO_LARGE', { detail: 'ask for the transactions of one sender' })
  const pending: [string, readonly PooledTransaction[]][] = []
  const queued: [string, readonly PooledTransaction[]][] = []
  let last: string | undefined
  // All of a sender's stand together.
  for (const { sender } of pool.list()) {
    const account = toHex(sender)
    if (account === last) continue
    last = account
    const { transactions, ready } = pool.ofSender(sender)
    if (ready > 0) pending.push([account, transactions.slice(0, ready)])
    if (ready < transactions.length) queued.push([account, transactions.slice(ready)])
  }
  return { pending, queued }
}

type Describe = (transaction: PooledTransaction) => unknown

/** By the nonce in decimal. */
export const byNonce = (
  transactions: readonly PooledTransaction[],
  describe: Describe,
): Record<string, unknown> =>
  Object.fromEntries(transactions.map(one => [one.transaction.nonce.toString(), describe(one)]))

export const byAccount = (accounts: Accounts, describe: Describe): Record<string, unknown> =>
  Object.fromEntries(accounts.map(([account, transactions]) => [account, byNonce(transactions, describe)]))

/** geth's line for people: where it goes, what it moves, what it may cost. */
export const inspectText = ({ transaction }: PooledTransaction): string => {
  const to = transaction.to === undefined ? 'contract creation' : toHex(transaction.to)
  return `${to}: ${transaction.value} wei + ${transaction.gasLimit} gas × ${transaction.maxFeePerGas} wei`
}
