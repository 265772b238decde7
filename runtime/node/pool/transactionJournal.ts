import { closeSync, existsSync, openSync, readFileSync, renameSync, writeFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { concatBytes } from '../../../core/bytes/bytes.ts'
import { toHex } from '../../../core/bytes/hex.ts'
import { DecodeError } from '../../../core/block/codec/error.ts'
import { decodeTransaction } from '../../../core/block/codec/transaction.ts'
import type { Transaction } from '../../../core/block/transaction.ts'
import { POOL_TRANSACTION_BYTES_MAX } from '../../../core/txpool/limits.ts'
import type { PooledTransaction, TransactionPool } from '../../../core/txpool/pool.ts'
import type { Log } from '../../logging/log.ts'
import type { RecoverSenders } from '../../../core/chain/importing/validation.ts'
import type { Submit } from './submit.ts'

/** In the data path. */
export const JOURNAL_FILE = 'transactions.journal'

/** Size from which on the file is written anew without the transactions that have left the pool. */
const COMPACT_BYTES_MIN = 1024 * 1024

/** Transactions that would make it larger are not kept: writing it anew holds the event loop for some 20 ms. */
const JOURNAL_BYTES_MAX = 16 * 1024 * 1024

/** Before each transaction. */
const LENGTH_BYTES = 4

/** In place of a length: the hash of a transaction that the pool dropped follows. A transaction is never this long. */
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
  /** Bytes from the first damaged record on; 0 where none is. A last record that was not written whole is no damage. */
  readonly unreadBytes: number
}

/** Reads the file up to the first record that is damaged or was not written whole. */
export const readJournal = (path: string): JournalContent => {
  if (!existsSync(path)) return { transactions: [], unreadBytes: 0 }
  const bytes = new Uint8Array(readFileSync(path))
  const view = new DataView(bytes.buffer)
  const found = new Map<string, Transaction>()
  let unreadBytes = 0
  for (let at = 0; at + LENGTH_BYTES <= bytes.length; ) {
    const start = at
    const prefix = view.getUint32(at)
    const isDropped = prefix === DROPPED_MARK
    const length = isDropped ? HASH_BYTES : prefix
    at += LENGTH_BYTES
    if (length > POOL_TRANSACTION_BYTES_MAX) {
      unreadBytes = bytes.length - start
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
      unreadBytes = bytes.length - start
      break
    }
  }
  return { transactions: [...found.values()], unreadBytes }
}

export type TransactionJournal = { readonly close: () => void }

/**
 * Keeps the transactions that this node accepted from RPC in a file, before the client is answered, so that a killed process
 * does not lose them. Not synced: a power cut may. What the pool drops is dropped from the file, too: a transaction that ran
 * too long would cost every later start the time of two blocks. First the transactions of an earlier run are taken into the pool again.
 */
export const startTransactionJournal = async (options: {
  readonly dataPath: string
  readonly pool: TransactionPool
  readonly submit: Submit
  readonly recoverSenders: RecoverSenders
  readonly log: Log
}): Promise<TransactionJournal> => {
  const { pool, submit, recoverSenders, log } = options
  const path = join(options.dataPath, JOURNAL_FILE)
  let file: number | undefined
  let bytes = 0
  let hasFailed = false

  const restore = async (): Promise<void> => {
    const { transactions: kept, unreadBytes } = readJournal(path)
    if (unreadBytes > 0)
      log.warn(
        '{file} is damaged: the transactions in its last {bytes} bytes are lost unless another node has them',
        { file: path, bytes: unreadBytes },
      )
    if (kept.length === 0) return
    const senders = await recoverSenders(kept)
    const sent = kept.flatMap((transaction, index) => {
      const sender = senders[index]
      return sender === undefined ? [] : [{ transaction, sender }]
    })
    const rejections = await submit(sent)
    // Some are paid for by others that stand behind them.
    const again = await submit(sent.filter((_, index) => rejections[index] !== undefined))
    const restored = [...rejections, ...again].filter(rejection => rejection === undefined).length
    if (restored > 0) log.info('{restored} transactions of the last run are in the pool again', { restored })
  }

  const rewrite = (): void => {
    const frames = pool
      .list()
      .flatMap(({ local, transaction }) => (local ? [frameOf(transaction.encoded)] : []))
    const content = concatBytes(...frames)
    writeFileSync(`${path}.new`, content)
    renameSync(`${path}.new`, path)
    if (file !== undefined) closeSync(file)
    file = openSync(path, 'a')
    bytes = content.length
  }

  const append = ({ local, transaction }: PooledTransaction): void => {
    if (!local) return
    const frame = frameOf(transaction.encoded)
    // The transaction is in the pool already, and so in what is written anew.
    if (file === undefined || bytes + frame.length > Math.max(COMPACT_BYTES_MIN, 2 * pool.bytes))
      return rewrite()
    if (bytes + frame.length > JOURNAL_BYTES_MAX) return
    writeSync(file, frame)
    bytes += frame.length
  }

  const appendDropped = ({ local, transaction }: PooledTransaction): void => {
    // The transaction has left the pool already, and so is not in what is written anew.
    if (!local || file === undefined) return
    const record = prefixed(DROPPED_MARK, transaction.hash)
    writeSync(file, record)
    bytes += record.length
  }

  /** A full disk keeps nobody from sending transactions. */
  const safely = (write: () => void): void => {
    try {
      write()
      hasFailed = false
    } catch (error) {
      if (!hasFailed) log.warn('Accepted transactions are not kept for a restart: {error}', { error })
      hasFailed = true
    }
  }

  await restore()
  safely(rewrite)
  const unsubscribes = [
    pool.onAdded(added => safely(() => append(added))),
    pool.onDropped(dropped => safely(() => appendDropped(dropped))),
  ]
  return {
    close: () => {
      for (const unsubscribe of unsubscribes) unsubscribe()
      if (file !== undefined) closeSync(file)
      file = undefined
    },
  }
}
