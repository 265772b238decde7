import { setBounded } from '../collections/boundedMap.ts'
import { equalBytes } from '../bytes/bytes.ts'
import { toHex } from '../bytes/hex.ts'
import { qbftBlockHash } from '../block/codec/blockHash.ts'
import { encodeBlock } from '../block/codec/block.ts'
import { rawHeaderHash } from '../block/codec/header.ts'
import type { Header } from '../block/header.ts'
import { logsOfRecord } from '../store/logs/blockLogs.ts'
import { bloomMayMatch } from '../store/logs/pattern.ts'
import { ReadOnlyStore } from '../store/replica/errors.ts'
import type { ReadStore } from '../store/replica/readStore.ts'
import type { BlockRecord, ChainHead, ChainStore } from '../store/store.ts'
import { NotProved } from './notProved.ts'
import type { ProvedHeaders } from './provedHeaders.ts'
import { type ProveRecordOptions, proveRecord } from './provedRecord.ts'
import { createProvedState, type ProvedCodes } from './provedState.ts'

export type ProvedStoreOptions = ProveRecordOptions & {
  readonly store: ReadStore
  readonly headers: ProvedHeaders
  readonly codes: ProvedCodes
  /** Proved records by number, cached because recovering a thousand senders takes a fifth of a second. */
  readonly records: Map<bigint, Promise<BlockRecord | undefined>>
}

/** Headers of one step of a log search. */
const SEARCH_HEADERS = 64n

/** Proved records that are cached. */
const RECORDS_MAX = 16

/** Attempts of a run; before each, one more header is proved. */
const ATTEMPTS_MAX = 64

/** Thrown within a run when the header of this block must be proved first. */
class HeaderNotProved extends Error {
  override readonly name = 'HeaderNotProved'
  readonly code = 'HEADER_NOT_PROVED'
  readonly number: bigint
  constructor(number: bigint) {
    super(`the header of block ${number} must be proved first`)
    this.number = number
  }
}

const hashOf = (header: Header): Uint8Array =>
  header.number === 0n ? rawHeaderHash(header) : qbftBlockHash(header)

const readRecord = async (options: ProvedStoreOptions, number: bigint): Promise<BlockRecord | undefined> => {
  const record = await options.store.record(number)
  return record === undefined ? undefined : proveRecord(record, await options.headers.header(number), options)
}

const provedRecord = (options: ProvedStoreOptions, number: bigint): Promise<BlockRecord | undefined> => {
  const { records } = options
  const known = records.get(number)
  if (known !== undefined) return known
  const record = readRecord(options, number)
  setBounded(records, number, record, RECORDS_MAX)
  record.then(undefined, () => records.delete(number))
  return record
}

const createChainHead =
  ({ headers, store, genesisDifficulty }: ProvedStoreOptions) =>
  async (number: bigint): Promise<ChainHead | undefined> => {
    const head = store.head()
    if (head === undefined || number < 0n || number > head.header.number) return undefined
    const header = await headers.header(number)
    return { header, hash: hashOf(header), totalDifficulty: genesisDifficulty + number }
  }

/** Runs over proved headers. The headers that a run needs are proved between its attempts. */
const createRuns = ({ store, headers }: ProvedStoreOptions) => {
  const head = store.head()?.header
  const proved = new Map<bigint, Header>(head === undefined ? [] : [[head.number, head]])
  const rootOf = (number: bigint): Uint8Array => {
    const header = proved.get(number)
    if (header === undefined) throw new HeaderNotProved(number)
    return header.stateRoot
  }
  const again = async <T>(first: unknown, synchronous: () => T): Promise<T> => {
    let failed = first
    for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt++) {
      if (!(failed instanceof HeaderNotProved)) throw failed
      proved.set(failed.number, await headers.header(failed.number))
      try {
        return await store.run(synchronous)
      } catch (error) {
        failed = error
      }
    }
    throw failed
  }
  return {
    rootOf,
    run: async <T>(synchronous: () => T): Promise<T> => {
      try {
        return await store.run(synchronous)
      } catch (error) {
        return again(error, synchronous)
      }
    },
    runAtOnce: <T>(synchronous: () => T): T | Promise<T> => {
      try {
        const result = store.runAtOnce(synchronous)
        return result instanceof Promise
          ? result.catch((error: unknown) => again(error, synchronous))
          : result
      } catch (error) {
        return again(error, synchronous)
      }
    },
  }
}

const searchLogs =
  ({ headers }: ProvedStoreOptions): ChainStore['searchLogs'] =>
  async (pattern, from, to) => {
    // The index of the store could hide a block; the blooms of proved headers cannot.
    const through = to < from + SEARCH_HEADERS ? to : from + SEARCH_HEADERS - 1n
    const found = await headers.range(from, through)
    return {
      numbers: found.filter(({ logsBloom }) => bloomMayMatch(logsBloom, pattern)).map(({ number }) => number),
      through,
    }
  }

/**
 * A store that proves every result from a trusted head: headers by seals or ancestry, bodies and receipts by their roots,
 * senders by signatures, accounts and slots by the state trie, code by its hash, logs by blooms and receipts. The absence
 * of accounts, slots and logs is proved, too, but not the absence of a hash.
 */
export const createProvedStore = (options: ProvedStoreOptions): ChainStore => {
  const { store, headers, codes } = options
  const chainHead = createChainHead(options)
  const { rootOf, run, runAtOnce } = createRuns(options)
  const record = (number: bigint): Promise<BlockRecord | undefined> => provedRecord(options, number)
  return {
    ...store,
    chainHead,
    header: async number => (await chainHead(number))?.header,
    record,
    logsOf: async number => {
      const proved = await record(number)
      return proved === undefined ? undefined : logsOfRecord(proved)
    },
    blockBytes: async number => {
      const proved = await record(number)
      return proved === undefined ? undefined : encodeBlock(proved.block)
    },
    recordBytes: () => Promise.reject(new ReadOnlyStore()),
    numberOfHash: async hash => {
      const number = await store.numberOfHash(hash)
      if (number !== undefined && !equalBytes(hashOf(await headers.header(number)), hash))
        throw new NotProved(`block ${toHex(hash)}`, `block ${number} has another hash`)
      return number
    },
    transactionLocation: async hash => {
      const location = await store.transactionLocation(hash)
      if (location === undefined) return undefined
      const transaction = (await record(location.blockNumber))?.block.transactions[location.index]
      if (transaction === undefined || !equalBytes(transaction.hash, hash))
        throw new NotProved(`transaction ${toHex(hash)}`, 'it is not at the location in the store')
      return location
    },
    // Callers fall back to proved headers.
    recentHash: number => {
      const head = store.head()
      return head?.header.number === number ? head.hash : undefined
    },
    stateAt: number => {
      const flat = store.stateAt(number)
      const root = (): Uint8Array => rootOf(number)
      return createProvedState(flat, () => store.trieAt(number, root()), root, codes)
    },
    run,
    runAtOnce,
    searchLogs: searchLogs(options),
  }
}
