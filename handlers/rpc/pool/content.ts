import { toHex } from '../../../core/bytes/hex.ts'
import type { PooledTransaction, TransactionPool } from '../../../core/txpool/pool.ts'
import { RpcError } from '../errors.ts'
import type { JsonPieces } from '../json/jsonPieces.ts'
import { type PieceHost, textPieces } from '../shapes/pieces.ts'

/** Maximum encoded size of a pool that is returned whole; its JSON is some four times as long. */
const POOL_CONTENT_BYTES_MAX = 16 * 1024 * 1024

type Accounts = readonly (readonly [account: string, transactions: readonly PooledTransaction[]])[]

/**
 * geth's two parts of the pool: executable transactions, and those that wait for an earlier nonce. @throws RpcError
 * if the pool is too large
 */
export const wholeOf = (
  pool: TransactionPool,
  bytesMax = POOL_CONTENT_BYTES_MAX,
): { readonly pending: Accounts; readonly queued: Accounts } => {
  if (pool.bytes > bytesMax)
    throw new RpcError('POOL_TOO_LARGE', {
      detail: 'request the transactions of one sender with txpool_contentFrom',
    })
  const pending: [string, readonly PooledTransaction[]][] = []
  const queued: [string, readonly PooledTransaction[]][] = []
  let last: string | undefined
  // Transactions of one sender are adjacent.
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

/** JSON of an object with the transactions by decimal nonce. */
function* nonceJson(transactions: readonly PooledTransaction[], describe: Describe): Generator<string> {
  let before = '{'
  for (const one of transactions) {
    yield `${before}"${one.transaction.nonce}":${JSON.stringify(describe(one))}`
    before = ','
  }
  yield before === '{' ? '{}' : '}'
}

/** JSON of an object with these objects by account. */
function* accountJson(accounts: Accounts, describe: Describe): Generator<string> {
  let before = '{'
  for (const [account, transactions] of accounts) {
    yield `${before}"${account}":`
    yield* nonceJson(transactions, describe)
    before = ','
  }
  yield before === '{' ? '{}' : '}'
}

/** JSON of the two parts of the pool. */
function* partsJson(pending: Iterable<string>, queued: Iterable<string>): Generator<string> {
  yield '{"pending":'
  yield* pending
  yield ',"queued":'
  yield* queued
  yield '}'
}

/**
 * The whole pool by account and nonce, with a description of each transaction for its part. Built a few transactions at
 * a time.
 */
export const contentPieces = (
  { pending, queued }: ReturnType<typeof wholeOf>,
  describe: { readonly pending: Describe; readonly queued: Describe },
  host: PieceHost,
): Promise<JsonPieces> =>
  textPieces(partsJson(accountJson(pending, describe.pending), accountJson(queued, describe.queued)), host)

/** The same of one sender, by nonce. */
export const senderPieces = (
  { transactions, ready }: ReturnType<TransactionPool['ofSender']>,
  describe: Describe,
  host: PieceHost,
): Promise<JsonPieces> =>
  textPieces(
    partsJson(
      nonceJson(transactions.slice(0, ready), describe),
      nonceJson(transactions.slice(ready), describe),
    ),
    host,
  )

/** geth's readable line: recipient, value, maximum gas cost. */
export const inspectText = ({ transaction }: PooledTransaction): string => {
  const to = transaction.to === undefined ? 'contract creation' : toHex(transaction.to)
  return `${to}: ${transaction.value} wei + ${transaction.gasLimit} gas × ${transaction.maxFeePerGas} wei`
}
