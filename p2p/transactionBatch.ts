import { decodeTransaction } from '../core/chain/codec/transaction.ts'
import { iterateRawItems, rawItems, rawString } from '../core/rlp/rawItem.ts'
import { encodeRlp, rlpBytes } from '../core/rlp/rlp.ts'
import { POOL_TRANSACTION_BYTES_MAX } from '../core/txpool/limits.ts'
import { NetworkError } from './error.ts'
import { GOSSIP_BYTES_MAX } from './gossip.ts'

/** The smallest transaction has about 100 bytes: more cannot be in a message. */
export const TRANSACTIONS_MAX = GOSSIP_BYTES_MAX / 64
/**
 * Random bytes before each batch: gossip drops a message that it has seen, and what is told again is for those who have
 * connected since.
 */
const SALT_BYTES = 8
/** RLP needs up to 4 bytes before each transaction. */
const OVERHEAD_BYTES = 4
/** What a message has beside its transactions: the salt, and RLP before it, before the list of them and before all. */
export const ENVELOPE_BYTES = SALT_BYTES + 1 + 2 * OVERHEAD_BYTES

/** What a transaction takes of a batch. */
export const bytesInBatch = (transaction: Uint8Array): number => transaction.length + OVERHEAD_BYTES

export const encodeBatch = (transactions: readonly Uint8Array[]): Uint8Array =>
  encodeRlp([crypto.getRandomValues(new Uint8Array(SALT_BYTES)), transactions])

/** The transactions of a batch, as yet any bytes. @throws NetworkError, RlpError */
export const readBatch = (data: Uint8Array): readonly Uint8Array[] => {
  if (data.length > GOSSIP_BYTES_MAX) throw new NetworkError('OVERSIZED', `a batch of ${data.length} bytes`)
  const [salt, batch] = rawItems(data, 'a batch', 2)
  rlpBytes(rawString(salt, 'the salt of a batch'), 'the salt of a batch', SALT_BYTES)
  const transactions: Uint8Array[] = []
  for (const item of iterateRawItems(batch, 'the transactions of a batch')) {
    if (transactions.length >= TRANSACTIONS_MAX)
      throw new NetworkError('BAD_MESSAGE', `a batch of more than ${TRANSACTIONS_MAX} transactions`)
    // The pool keeps them: each must not keep the whole batch alive.
    transactions.push(rawString(item, 'a transaction').slice())
  }
  if (transactions.length === 0) throw new NetworkError('BAD_MESSAGE', 'a batch of no transactions')
  return transactions
}

/**
 * Each has the form of a transaction: a node that passed on others would be taken for who made them up. Whether a key
 * signed it, and whether it can be paid for, is for the pool to say. Pauses where a turn takes long.
 * @throws NetworkError when one is larger than the pool takes, DecodeError
 */
export const checkForms = async (
  transactions: readonly Uint8Array[],
  pause: () => Promise<void>,
): Promise<void> => {
  for (const transaction of transactions) {
    if (transaction.length > POOL_TRANSACTION_BYTES_MAX)
      throw new NetworkError('OVERSIZED', `a transaction of ${transaction.length} bytes`)
    decodeTransaction(transaction)
    await pause()
  }
}
