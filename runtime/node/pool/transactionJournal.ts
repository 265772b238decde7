import { closeSync, existsSync, openSync, renameSync, statSync, writeFileSync, writeSync } from 'node:fs'
import { toHex } from '../../../core/bytes/hex.ts'
import { subscribe } from '../../../core/collections/subscribe.ts'
import { DecodeError } from '../../../core/block/codec/error.ts'
import { decodeTransaction } from '../../../core/block/codec/transaction.ts'
import type { Transaction } from '../../../core/block/transaction.ts'
import { decodeRlp, encodeRlp, RlpError, rlpBytes } from '../../../core/rlp/rlp.ts'
import { POOL_TRANSACTION_BYTES_MAX } from '../../../core/txpool/limits.ts'
import type { PooledTransaction, TransactionPool } from '../../../core/txpool/pool.ts'
import { readBeginning, readFailureReason } from '../../cli/readUpTo.ts'
import type { Log } from '../../logging/log.ts'
import type { RecoverSenders } from '../../../core/chain/importing/validation.ts'
import type { Submissions, Submit } from './submit.ts'

/** File name in the data path, as in Besu. */
export const JOURNAL_FILE = 'txpool.dump'

/** Minimum size at which the file is rewritten without the transactions that have left the pool. */
const COMPACT_BYTES_MIN = 1024 * 1024

/** Maximum size: transactions beyond it are not kept, because rewriting the file takes 20 ms of the event loop. */
const JOURNAL_BYTES_MAX = 16 * 1024 * 1024

/** Bytes read at a start: a file that this node wrote, with its marks of dropped transactions, is not longer. */
const READ_BYTES_MAX = 2 * JOURNAL_BYTES_MAX

/** Maximum length of a line: a transaction in base64, its score and its mark. */
const LINE_LENGTH_MAX = 2 * POOL_TRANSACTION_BYTES_MAX

/** First byte of an RLP list, and of every transaction without a type. */
const RLP_LIST = 0xc0

/** Besu's score of a transaction that never failed in a block. */
const SCORE = '127'

/** Mark of the hash of a transaction that the pool dropped. The file has none after an orderly stop, so that Besu reads it. */
const DROPPED = 'd'

const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64')

/**
 * A line of Besu's `txpool.dump`: score, `l` (from RPC) or `r` (from a peer), and the transaction in base64 as an item of RLP:
 * a list, or a byte string if it has a type.
 */
const lineOf = ({ type, encoded }: Transaction): string =>
  `${SCORE}l${base64(type === 0 ? encoded : encodeRlp(encoded))}\n`

const droppedLineOf = ({ hash }: Transaction): string => `${DROPPED}${base64(hash)}\n`

/** @throws DecodeError, RlpError */
const transactionOf = (item: Uint8Array): Transaction => {
  const isList = (item[0] ?? 0) >= RLP_LIST
  return decodeTransaction(isList ? item : rlpBytes(decodeRlp(item), 'a transaction'))
}

export type JournalContent = {
  /** Transactions that the pool did not drop later. */
  readonly transactions: readonly Transaction[]
  /** Bytes from the first damaged line on, or beyond the limit; otherwise 0. An incomplete last line is not damage. */
  readonly unreadBytes: number
}

/** Adds the transaction of a line, or removes a dropped one. @returns false for a damaged line */
const readLine = (line: string, found: Map<string, Transaction>): boolean => {
  const match = /^(?:-?\d{1,3})?([lrd])([A-Za-z0-9+/]+={0,2})$/.exec(line)
  if (match === null) return false
  const content = new Uint8Array(Buffer.from(match[2] as string, 'base64'))
  if (match[1] === DROPPED) {
    found.delete(toHex(content))
    return true
  }
  try {
    const transaction = transactionOf(content)
    found.set(toHex(transaction.hash), transaction)
    return true
  } catch (error) {
    if (error instanceof DecodeError || error instanceof RlpError) return false
    throw error
  }
}

/** Reads the file up to the first damaged or incomplete line. */
export const readJournal = (path: string): JournalContent => {
  if (!existsSync(path)) return { transactions: [], unreadBytes: 0 }
  const bytes = readBeginning(path, READ_BYTES_MAX)
  const { size } = statSync(path)
  const text = new TextDecoder('latin1').decode(bytes)
  const found = new Map<string, Transaction>()
  let at = 0
  for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n', at)) {
    const isRead = end - at <= LINE_LENGTH_MAX && readLine(text.slice(at, end).replace(/\r$/, ''), found)
    if (!isRead) return { transactions: [...found.values()], unreadBytes: size - at }
    at = end + 1
  }
  const rest = text.slice(at, at + LINE_LENGTH_MAX)
  const isIncomplete = size - at === rest.length && /^[-A-Za-z0-9+/=]*$/.test(rest)
  return { transactions: [...found.values()], unreadBytes: isIncomplete ? 0 : size - at }
}

export type TransactionJournal = { readonly close: () => void }

export type TransactionJournalOptions = {
  readonly path: string
  readonly pool: TransactionPool
  readonly submit: Submit
  /** Submissions in progress. */
  readonly submissions: Submissions
  readonly recoverSenders: RecoverSenders
  readonly log: Log
}

type JournalState = TransactionJournalOptions & {
  /** Descriptor of the open file; undefined before the first write and after `close`. */
  file: number | undefined
  /** Size of the file with the lines to write. */
  bytes: number
  /** Lines to write at the end of the submission in progress: writing each of a batch takes the main thread much longer. */
  unwritten: string[]
  /** Whether the last write failed: a failure is logged once. */
  hasFailed: boolean
}

/** A node starts without the transactions of a file that it cannot read. */
const readSafely = (path: string, log: Log): JournalContent => {
  try {
    return readJournal(path)
  } catch (cause) {
    log.warn(
      '{file} cannot be read: {reason}; the transactions of the last run are lost unless another node has them',
      { file: path, reason: readFailureReason(cause) },
    )
    return { transactions: [], unreadBytes: 0 }
  }
}

/** Adds the transactions of an earlier run to the pool. */
const restore = async ({ path, submit, recoverSenders, log }: JournalState): Promise<void> => {
  const { transactions, unreadBytes } = readSafely(path, log)
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
  const content = pool
    .list()
    .map(({ local, transaction }) => (local ? lineOf(transaction) : ''))
    .join('')
  writeFileSync(`${path}.new`, content)
  renameSync(`${path}.new`, path)
  if (journal.file !== undefined) closeSync(journal.file)
  journal.file = openSync(path, 'a')
  journal.bytes = content.length
  journal.unwritten = []
}

const writeLines = (journal: JournalState): void => {
  const { file, unwritten } = journal
  if (file === undefined || unwritten.length === 0) return
  journal.unwritten = []
  writeSync(file, unwritten.join(''))
}

const addLine = (journal: JournalState, line: string): void => {
  journal.unwritten.push(line)
  journal.bytes += line.length
  if (journal.submissions.running === 0) writeLines(journal)
}

const append = (journal: JournalState, { local, transaction }: PooledTransaction): void => {
  if (!local) return
  const { file, bytes, pool } = journal
  const line = lineOf(transaction)
  // The pool has the transaction already, so the rewritten file has it, too.
  if (file === undefined || bytes + line.length > Math.max(COMPACT_BYTES_MIN, 4 * pool.bytes))
    return rewrite(journal)
  if (bytes + line.length > JOURNAL_BYTES_MAX) return
  addLine(journal, line)
}

const appendDropped = (journal: JournalState, { local, transaction }: PooledTransaction): void => {
  if (!local || journal.file === undefined) return
  const line = droppedLineOf(transaction)
  if (journal.bytes + line.length > READ_BYTES_MAX) return
  addLine(journal, line)
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
  const { pool, submissions } = options
  const journal: JournalState = {
    ...options,
    file: undefined,
    bytes: 0,
    unwritten: [],
    hasFailed: false,
  }
  await restore(journal)
  safely(journal, () => rewrite(journal))
  const unsubscribes = [
    pool.onAdded(added => safely(journal, () => append(journal, added))),
    pool.onDropped(dropped => safely(journal, () => appendDropped(journal, dropped))),
    subscribe(submissions.ended, () => safely(journal, () => writeLines(journal))),
  ]
  return {
    close: () => {
      for (const unsubscribe of unsubscribes) unsubscribe()
      safely(journal, () => rewrite(journal))
      if (journal.file !== undefined) closeSync(journal.file)
      journal.file = undefined
    },
  }
}
