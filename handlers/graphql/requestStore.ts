import { evictWhile, setBounded } from '../../core/collections/boundedMap.ts'
import type { Hash } from '../../core/bytes/bytes.ts'
import { toBareHex } from '../../core/bytes/hex.ts'
import { logsOfRecord } from '../../core/store/logs/blockLogs.ts'
import type { BlockRecord, ChainStore } from '../../core/store/store.ts'
import { ExecutionAborted } from './errors.ts'

/**
 * Maximum memory for the blocks of one request: a query over a long range must not hold all of it. Beyond it the least
 * recently read blocks are evicted, and read again on demand.
 */
const KEPT_BYTES_MAX = 64 * 1024 * 1024

/** Maximum size of all blocks that one request reads: a list holds its blocks until the answer is complete. */
const READ_BYTES_MAX = 256 * 1024 * 1024

/** Maximum number of headers that one request keeps, each some 1.5 KB. */
const KEPT_HEADERS_MAX = 20_000

/** Approximate size of a decoded block as a multiple of its encoding. */
const DECODED_FACTOR = 4
/** Approximate size of header, hashes and objects. */
const BLOCK_BYTES = 4096
/** Approximate size of the bloom filter and numbers. */
const RECEIPT_BYTES = 512

const sizeOf = ({ block, receipts }: BlockRecord): number => {
  let bytes = BLOCK_BYTES
  for (const { encoded } of block.transactions) bytes += DECODED_FACTOR * encoded.length
  for (const { logs } of receipts) {
    bytes += RECEIPT_BYTES
    for (const { data } of logs) bytes += RECEIPT_BYTES + data.length
  }
  return bytes
}

/** Caches the result of `read` for each key; failed reads are not cached. */
const once = <Key, Value>(
  keyOf: (key: Key) => string | bigint,
  max: number,
  read: (key: Key) => Promise<Value>,
): ((key: Key) => Promise<Value>) => {
  const known = new Map<string | bigint, Promise<Value>>()
  return key => {
    const id = keyOf(key)
    const before = known.get(id)
    if (before !== undefined) return before
    const value = read(key)
    setBounded(known, id, value, max)
    value.catch(() => known.delete(id))
    return value
  }
}

type Entry = { readonly record: Promise<BlockRecord | undefined>; bytes: number }

type Records = {
  readonly read: ChainStore['record']
  /** A block that is already kept or being read. */
  readonly peek: (number: bigint) => Promise<BlockRecord | undefined> | undefined
}

const recordsOnce = (read: ChainStore['record'], abort: (error: Error) => void): Records => {
  const kept = new Map<bigint, Entry>()
  let bytes = 0
  let bytesRead = 0
  const drop = (number: bigint): void => {
    bytes -= kept.get(number)?.bytes ?? 0
    kept.delete(number)
  }
  return {
    peek: number => kept.get(number)?.record,
    read: number => {
      const before = kept.get(number)
      if (before !== undefined) {
        kept.delete(number)
        kept.set(number, before)
        return before.record
      }
      const entry: Entry = { record: read(number), bytes: 0 }
      kept.set(number, entry)
      entry.record.then(
        record => {
          if (record === undefined || kept.get(number) !== entry) return
          entry.bytes = sizeOf(record)
          bytesRead += entry.bytes
          if (bytesRead > READ_BYTES_MAX)
            abort(new ExecutionAborted(`maximum size of blocks read exceeded: ${READ_BYTES_MAX} bytes`))
          bytes += entry.bytes
          evictWhile(kept, oldest => bytes > KEPT_BYTES_MAX && oldest !== number, drop)
        },
        () => drop(number),
      )
      return entry.record
    },
  }
}

const hashKey = (hash: Hash): string => toBareHex(hash)
const itself = (number: bigint): bigint => number

/**
 * The store of one request: it caches every read. Committed blocks do not change, so cached ones stay valid; missing
 * blocks are looked up again by the next request. @param abort ends the request when it reads too much.
 */
export const createRequestStore = (store: ChainStore, abort: (error: Error) => void): ChainStore => {
  const header = once(itself, KEPT_HEADERS_MAX, number => store.header(number))
  const records = recordsOnce(number => store.record(number), abort)
  return {
    ...store,
    // The header is part of a loaded record.
    header: async number => {
      const record = records.peek(number)
      return record === undefined ? await header(number) : (await record)?.block.header
    },
    record: records.read,
    logsOf: async number => {
      const record = await records.peek(number)
      return record === undefined ? await store.logsOf(number) : logsOfRecord(record)
    },
    numberOfHash: once(hashKey, KEPT_HEADERS_MAX, hash => store.numberOfHash(hash)),
    transactionLocation: once(hashKey, KEPT_HEADERS_MAX, hash => store.transactionLocation(hash)),
  }
}

/** For log searches that need transactions, too: reads whole blocks at once, instead of twice. */
export const withWholeBlocks = (store: ChainStore): ChainStore => ({
  ...store,
  logsOf: async number => {
    const record = await store.record(number)
    return record === undefined ? undefined : logsOfRecord(record)
  },
})
