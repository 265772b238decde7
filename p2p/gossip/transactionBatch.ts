import type { YieldTurn } from '../../core/scheduler.ts'
import { decodeTransaction } from '../../core/block/codec/transaction.ts'
import { iterateRawItems, rawItems, rawString } from '../../core/rlp/rawItem.ts'
import { encodeRlp, rlpBytes } from '../../core/rlp/rlp.ts'
import { POOL_TRANSACTION_BYTES_MAX } from '../../core/txpool/limits.ts'
import { NetworkError } from '../error.ts'
import { GOSSIP_BYTES_MAX } from './gossip.ts'

/** Transactions of one batch: the smallest has about 100 bytes. */
export const BATCH_TRANSACTIONS_MAX = GOSSIP_BYTES_MAX / 64
/**
 * Random bytes before each batch: gossipsub drops messages that it has seen, and a batch that is sent again is meant for nodes
 * that have connected since.
 */
const SALT_BYTES = 8
/** RLP needs up to 4 bytes before each transaction. */
const OVERHEAD_BYTES = 4
/** Bytes of a message beside its transactions: the salt and three RLP prefixes. */
export const ENVELOPE_BYTES = SALT_BYTES + 1 + 2 * OVERHEAD_BYTES

/** Bytes of a transaction within a batch. */
export const bytesInBatch = (transaction: Uint8Array): number => transaction.length + OVERHEAD_BYTES

export const encodeBatch = (transactions: readonly Uint8Array[]): Uint8Array =>
  encodeRlp([crypto.getRandomValues(new Uint8Array(SALT_BYTES)), transactions])

/** The transactions of a batch, not yet decoded. @throws NetworkError, RlpError */
export const readBatch = (data: Uint8Array): readonly Uint8Array[] => {
  if (data.length > GOSSIP_BYTES_MAX) throw new NetworkError('OVERSIZED', `a batch of ${data.length} bytes`)
  const [salt, batch] = rawItems(data, 'a batch', 2)
  rlpBytes(rawString(salt, 'the salt of a batch'), 'the salt of a batch', SALT_BYTES)
  const transactions: Uint8Array[] = []
  for (const item of iterateRawItems(batch, 'the transactions of a batch')) {
    if (transactions.length >= BATCH_TRANSACTIONS_MAX)
      throw new NetworkError('BAD_MESSAGE', `a batch of more than ${BATCH_TRANSACTIONS_MAX} transactions`)
    // Copied, because the pool keeps them: a view would keep the whole batch alive.
    transactions.push(rawString(item, 'a transaction').slice())
  }
  if (transactions.length === 0) throw new NetworkError('BAD_MESSAGE', 'a batch of no transactions')
  return transactions
}

/**
 * Checks that each of them decodes as a transaction: a node that forwards anything else counts as its author. The pool checks
 * signatures and balances.
 * @throws NetworkError when one is larger than the limit of the pool, DecodeError
 */
export const checkEncodings = async (
  transactions: readonly Uint8Array[],
  pause: YieldTurn,
): Promise<void> => {
  for (const transaction of transactions) {
    if (transaction.length > POOL_TRANSACTION_BYTES_MAX)
      throw new NetworkError('OVERSIZED', `a transaction of ${transaction.length} bytes`)
    decodeTransaction(transaction)
    await pause()
  }
}
