import { runSteps, runStepsYielding, type Steps } from '../../steps.ts'
import { type Cache, createCache } from '../cache.ts'
import { type ChainMemory, headNumberOf, memtablesOf } from '../chainMemory.ts'
import { StoreCorruption, verifiedValue } from '../checksum.ts'
import { decodeStoredHead } from '../codec/chainHead.ts'
import { numberOfHash, transactionLocation } from './hashIndex.ts'
import type { KeyValueStore } from '../keyvalue/keyvalue.ts'
import { headerKey, segmentKey } from '../keys.ts'
import { isBlockKept, requireBlockKept } from '../historyPruned.ts'
import { RECORD_CACHE_BYTES } from '../limits.ts'
import { logsOfRecord, logsOfSegmentSteps } from '../logs/blockLogs.ts'
import { openSegment, type Segment, segmentChangesSteps, segmentRecordSteps } from '../segments/segment.ts'
import { checkSegment, readSegment, REASONS } from '../segments/segmentParts.ts'
import type { BlockRecord, ChainHead, ChainStore } from '../store.ts'

/** Memory of a decoded block relative to its segment: a plain transfer takes a kilobyte and ten objects. */
const DECODED_FACTOR = 10

/** Segment bytes decoded without yielding, some five hundred plain transfers, in two to three milliseconds. */
const DECODED_AT_ONCE_BYTES = 128 * 1024

/** Decoding steps between two pauses: 256 transactions or receipts, about two milliseconds. */
const DECODING_STEPS_PER_PAUSE = 8

type CachedRecord = { readonly record: BlockRecord; readonly segmentBytes: number }

type BlockReads = Pick<
  ChainStore,
  | 'header'
  | 'chainHead'
  | 'hasRecord'
  | 'record'
  | 'logsOf'
  | 'recordBytes'
  | 'blockBytes'
  | 'changesOf'
  | 'numberOfHash'
  | 'recentHash'
  | 'transactionLocation'
>

export type BlockReader = {
  readonly reads: BlockReads
  /** Caches the block just committed, which clients usually request next. */
  readonly remember: (record: BlockRecord, segmentBytes: number) => void
  /** Forgets the blocks above this one, which are no longer on the chain. */
  readonly discardAbove: (number: number) => void
}

type ReaderState = {
  readonly kv: Pick<KeyValueStore, 'get' | 'pause'>
  readonly memory: ChainMemory
  readonly onDamaged: (number: bigint) => void
  readonly remedy: string | undefined
  records: Cache<CachedRecord>
  /** Decodings in progress: concurrent requests for a block share one. */
  readonly decodings: Map<string, Promise<BlockRecord | undefined>>
  /**
   * The last committed block. Earlier blocks are decoded again on request: most nodes have no clients, and each transaction
   * is eight objects for the garbage collector.
   */
  last: ({ readonly key: string } & CachedRecord) | undefined
}

const isOnChain = ({ memory }: ReaderState, number: bigint): boolean =>
  number >= 0n && number <= headNumberOf(memory)

const memtableHead = (memory: ChainMemory, number: number): ChainHead | undefined => {
  for (const { heads } of memtablesOf(memory)) {
    const head = heads[number - Number(heads[0]?.header.number)]
    if (head !== undefined) return head
  }
  return undefined
}

const chainHead = async (reader: ReaderState, block: bigint): Promise<ChainHead | undefined> => {
  if (!isOnChain(reader, block)) return undefined
  const { memory, kv } = reader
  const number = Number(block)
  const head = memory.recent.get(number) ?? memtableHead(memory, number)
  if (head !== undefined) return head
  const key = headerKey(number)
  const stored = await kv.get(key)
  if (stored === undefined) throw new StoreCorruption(key, number, 'it is missing')
  return decodeStoredHead(verifiedValue(key, stored, number))
}

const hasRecord = async (reader: ReaderState, number: bigint): Promise<boolean> => {
  if (!isOnChain(reader, number) || !isBlockKept(reader.memory, Number(number))) return false
  return (await checkSegment(reader.kv, Number(number))) === 'whole'
}

const recordBytes = async (reader: ReaderState, number: bigint): Promise<Uint8Array | undefined> => {
  if (!isOnChain(reader, number)) return undefined
  requireBlockKept(reader.memory, Number(number))
  const found = await readSegment(reader.kv, Number(number))
  if (typeof found !== 'string') return found
  // It may have been removed meanwhile.
  requireBlockKept(reader.memory, Number(number))
  reader.onDamaged(number)
  throw new StoreCorruption(segmentKey(Number(number)), Number(number), REASONS[found], reader.remedy)
}

/** Reads a segment and decodes a part of it. Other work runs between the steps for a large one. */
const decode = async <Result>(
  reader: ReaderState,
  number: bigint,
  stepsOf: (segment: Segment) => Steps<Result>,
): Promise<{ readonly value: Result; readonly segmentBytes: number } | undefined> => {
  const bytes = await recordBytes(reader, number)
  if (bytes === undefined) return undefined
  const steps = stepsOf(openSegment(bytes))
  const isLarge = bytes.length > DECODED_AT_ONCE_BYTES
  const value = isLarge
    ? await runStepsYielding(steps, () => reader.kv.pause(), DECODING_STEPS_PER_PAUSE)
    : runSteps(steps)
  return { value, segmentBytes: bytes.length }
}

const decodeRecord = async (
  reader: ReaderState,
  key: string,
  number: bigint,
): Promise<BlockRecord | undefined> => {
  const { records } = reader
  const decoded = await decode(reader, number, segmentRecordSteps)
  if (decoded === undefined) return undefined
  const { value: record, segmentBytes } = decoded
  records.set(key, { record, segmentBytes })
  return record
}

/** @throws HistoryPruned */
const cached = (
  { last, records, memory }: ReaderState,
  key: string,
  number: bigint,
): CachedRecord | undefined => {
  const known = last?.key === key ? last : records.get(key)
  if (known !== undefined) requireBlockKept(memory, Number(number))
  return known
}

const readRecord = async (reader: ReaderState, number: bigint): Promise<BlockRecord | undefined> => {
  const key = segmentKey(Number(number))
  const { records, decodings } = reader
  const known = cached(reader, key, number)
  if (known !== undefined) {
    if (known === reader.last) records.set(key, known)
    return known.record
  }
  let decoding = decodings.get(key)
  if (decoding === undefined) {
    decoding = decodeRecord(reader, key, number).finally(() => decodings.delete(key))
    decodings.set(key, decoding)
  }
  return await decoding
}

/**
 * Block reads: recent blocks from memory, all others from headers and segments.
 * @param remedy what the operator must do about a damaged record; the default advice when undefined
 */
export const createBlockReader = (
  kv: Pick<KeyValueStore, 'get' | 'pause'>,
  memory: ChainMemory,
  onDamaged: (number: bigint) => void,
  remedy: string | undefined,
): BlockReader => {
  const sizeOf = ({ segmentBytes }: CachedRecord): number => segmentBytes * DECODED_FACTOR
  const newRecords = () => createCache(RECORD_CACHE_BYTES, sizeOf)
  const reader: ReaderState = {
    kv,
    memory,
    onDamaged,
    remedy,
    records: newRecords(),
    decodings: new Map(),
    last: undefined,
  }
  const reads: BlockReads = {
    header: async number => (await chainHead(reader, number))?.header,
    chainHead: number => chainHead(reader, number),
    hasRecord: number => hasRecord(reader, number),
    record: number => readRecord(reader, number),
    logsOf: async number => {
      const known = cached(reader, segmentKey(Number(number)), number)
      if (known !== undefined) return logsOfRecord(known.record)
      // Not cached, because a search reads many blocks once and would evict the blocks that other requests read.
      return (await decode(reader, number, logsOfSegmentSteps))?.value
    },
    recordBytes: number => recordBytes(reader, number),
    blockBytes: async number => {
      const bytes = await recordBytes(reader, number)
      return bytes === undefined ? undefined : openSegment(bytes).block
    },
    changesOf: async number => (await decode(reader, number, segmentChangesSteps))?.value,
    numberOfHash: hash => numberOfHash(memory, hash),
    recentHash: number => memory.recent.get(Number(number))?.hash,
    transactionLocation: hash => transactionLocation(memory, hash),
  }
  return {
    reads,
    remember: ({ block, hash, totalDifficulty, senders, receipts }, segmentBytes) => {
      const record = { block, hash, totalDifficulty, senders, receipts }
      reader.last = { key: segmentKey(Number(block.header.number)), record, segmentBytes }
    },
    discardAbove: () => {
      // The cache cannot list its blocks, so it is emptied.
      reader.records = newRecords()
      reader.decodings.clear()
      reader.last = undefined
    },
  }
}
