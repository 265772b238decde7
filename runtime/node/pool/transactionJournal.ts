import { closeSync, existsSync, openSync, renameSync, statSync, writeFileSync, writeSync } from 'node:fs'
import { concatBytes } from '../../../core/bytes/bytes.ts'
import { toHex } from '../../../core/bytes/hex.ts'
import { DecodeError } from '../../../core/block/codec/error.ts'
import { decodeTransaction } from '../../../core/block/codec/transaction.ts'
import type { Transaction } from '../../../core/block/transaction.ts'
import { POOL_TRANSACTION_BYTES_MAX } from '../../../core/txpool/limits.ts'
import type { PooledTransaction, TransactionPool } from '../../../core/txpool/pool.ts'
import { readBeginning } from '../../cli/readUpTo.ts'
import type { Log } from '../../logging/log.ts'
import type { RecoverSenders } from '../../../core/chain/importing/validation.ts'
import type { Submit } from './submit.ts'

/** File name in the data path. */
export const JOURNAL_FILE = 'transactions.journal'

/** Minimum size at which the file is rewritten without the transactions that have left the pool. */
const COMPACT_BYTES_MIN = 1024 * 1024

/** Maximum size: transactions beyond it are not kept, because rewriting the file takes 20 ms of the event loop. */
const JOURNAL_BYTES_MAX = 16 * 1024 * 1024

/** Bytes read at a start: a file that this node wrote, with its marks of dropped transactions, is not longer. */
const READ_BYTES_MAX = 2 * JOURNAL_BYTES_MAX

/** Length prefix of each transaction. */
const LENGTH_BYTES = 4

/** In place of a length: the hash of a transaction that the pool dropped follows. No transaction is that long. */
const DROPPED_MARK = 0xffffffff

const HASH_BYTES = 32

const prefixed = (prefix: number, content: Uint8Array): Uint8Array => {
  const bytes = new Uint8Array(LENGTH_BYTES)
  new DataView(bytes.buffer).setUint32(0, prefix)
  return concatBytes(bytes, content)
}

const frameOf = (encoded: Uint8Array): Uint8Array => prefixed(encoded.length, encoded)

export type JournalContent = {
  /** Transactions that the pool did not drop later. */
  readonly transactions: readonly Transaction[]
  /** Bytes from the first damaged record on, or beyond the limit; otherwise 0. An incomplete last record is no damage. */
  readonly unreadBytes: number
}

/** Reads the file up to the first damaged or incomplete record. */
export const readJournal = (path: string): JournalContent => {
  if (!existsSync(path)) return { transactions: [], unreadBytes: 0 }
  const bytes = readBeginning(path, READ_BYTES_MAX)
  const { size } = statSync(path)
  const view = new DataView(bytes.buffer)
  const found = new Map<string, Transaction>()
  let unreadBytes = Math.max(0, size - bytes.length)
  for (let at = 0; at + LENGTH_BYTES <= bytes.length; ) {
    const start = at
    const prefix = view.getUint32(at)
    const isDropped = prefix === DROPPED_MARK
    const length = isDropped ? HASH_BYTES : prefix
    at += LENGTH_BYTES
    if (length > POOL_TRANSACTION_BYTES_MAX) {
      unreadBytes = size - start
      break
    }
    if (at + length > bytes.length) break
    const content = bytes.slice(at, at + length)
    at += length
    if (isDropped) {
      found.delete(toHex(content))
      continue
    }
    try {
      const transaction = decodeTransaction(content)
      found.set(toHex(transaction.hash), transaction)
    } catch (error) {
      if (!(error instanceof DecodeError)) throw error
      unreadBytes = size - start
      break
    }
  }
  return { transactions: [...found.values()], unreadBytes }
}

export type TransactionJournal = { readonly close: () => void }

export type TransactionJournalOptions = {
  readonly path: string
  readonly pool: TransactionPool
  readonly submit: Submit
  readonly recoverSenders: RecoverSenders
  readonly log: Log
}

type JournalState = TransactionJournalOptions & {
  /** Descriptor of the open file; undefined before the first write and after `close`. */
  file: number | undefined
  /** Size of the file. */
  bytes: number
  /** Whether the last write failed: a failure is logged once. */
  hasFailed: boolean
}

/** Adds the transactions of an earlier run to the pool. */
const restore = async ({ path, submit, recoverSenders, log }: JournalState): Promise<void> => {
  const { transactions, unreadBytes } = readJournal(path)
  if (unreadBytes > 0)
    log.warn(
      '{file} is damaged: the transactions in its last {bytes} bytes are lost unless another node has them',
      { file: path, bytes: unreadBytes },
    )
  if (transactions.length === 0) return
  const senders = await recoverSenders(transactions)
  const sent = transactions.flatMap((transaction, index) => {
    const sender = senders[index]
    return sender === undefined ? [] : [{ transaction, sender }]
  })
  const rejections = await submit(sent)
  // A transaction may depend on the payment of a later one.
  const again = await submit(sent.filter((_, index) => rejections[index] !== undefined))
  const restored = [...rejections, ...again].filter(rejection => rejection === undefined).length
  if (restored > 0) log.info('{restored} transactions of the last run are in the pool again', { restored })
}

/** Replaces the file by one with the current transactions of the pool. */
const rewrite = (journal: JournalState): void => {
  const { pool, path } = journal
  const frames = pool
    .list()
    .flatMap(({ local, transaction }) => (local ? [frameOf(transaction.encoded)] : []))
  const content = concatBytes(...frames)
  writeFileSync(`${path}.new`, content)
  renameSync(`${path}.new`, path)
  if (journal.file !== undefined) closeSync(journal.file)
  journal.file = openSync(path, 'a')
  journal.bytes = content.length
}

const append = (journal: JournalState, { local, transaction }: PooledTransaction): void => {
  if (!local) return
  const { file, bytes, pool } = journal
  const frame = frameOf(transaction.encoded)
  // The pool has the transaction already, so the rewritten file has it, too.
  if (file === undefined || bytes + frame.length > Math.max(COMPACT_BYTES_MIN, 2 * pool.bytes))
    return rewrite(journal)
  if (bytes + frame.length > JOURNAL_BYTES_MAX) return
  writeSync(file, frame)
  journal.bytes += frame.length
}

const appendDropped = (journal: JournalState, { local, transaction }: PooledTransaction): void => {
  if (!local || journal.file === undefined) return
  const record = prefixed(DROPPED_MARK, transaction.hash)
  if (journal.bytes + record.length > READ_BYTES_MAX) return
  writeSync(journal.file, record)
  journal.bytes += record.length
}

/** Logs a failure: a full disk must not keep clients from sending transactions. */
const safely = (journal: JournalState, write: () => void): void => {
  try {
    write()
    journal.hasFailed = false
  } catch (error) {
    if (!journal.hasFailed)
      journal.log.warn('Accepted transactions are not kept for a restart: {error}', { error })
    journal.hasFailed = true
  }
}

/**
 * Adds the transactions of an earlier run to the pool, and from then on keeps the transactions that this node accepts from
 * RPC in a file, before the client is answered, so that a killed process does not lose them. Not synced: a power cut may lose
 * them. A transaction that the pool drops is dropped from the file, too: one that runs too long would delay every later
 * start by two blocks.
 */
export const startTransactionJournal = async (
  options: TransactionJournalOptions,
): Promise<TransactionJournal> => {
  const { pool } = options
  const journal: JournalState = {
    ...options,
    file: undefined,
    bytes: 0,
    hasFailed: false,
  }
  await restore(journal)
  safely(journal, () => rewrite(journal))
  const unsubscribes = [
    pool.onAdded(added => safely(journal, () => append(journal, added))),
    pool.onDropped(dropped => safely(journal, () => appendDropped(journal, dropped))),
  ]
  return {
    close: () => {
      for (const unsubscribe of unsubscribes) unsubscribe()
      if (journal.file !== undefined) closeSync(journal.file)
      journal.file = undefined
    },
  }
}
