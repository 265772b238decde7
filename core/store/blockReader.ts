import { toBareHex } from '../bytes/hex.ts'
import { createCache } from './cache.ts'
import { checkedValue, StoreCorruption, verifiedValue } from './checksum.ts'
import { decodeChainHead } from './codec/chainHead.ts'
import { createReader } from './codec/reader.ts'
import type { KeyValueStore } from './keyvalue.ts'
import { blockHashKey, headerKey, segmentKey, transactionKey } from './keys.ts'
import { locationOf } from './flushing/memtable.ts'
import { RECORD_CACHE_BYTES } from './limits.ts'
import { logsOfRecord, logsOfSegment } from './logs/blockLogs.ts'
import { runSteps, type Steps } from '../steps.ts'
import { openSegment, type Segment, segmentChanges, segmentRecordSteps } from './segment.ts'
import type { StateSources } from './stateReader.ts'
import type { BlockRecord, ChainHead, ChainStore } from './store.ts'

/** Memory of a decoded block relative to its segment: a kilobyte and ten objects for a plain transfer. */
const DECODED_FACTOR = 10

/** Segment bytes decoded without yielding, some five hundred plain transfers: two to three milliseconds. */
const DECODED_AT_ONCE_BYTES = 128 * 1024

/** Decoding steps between two pauses: 256 transactions or receipts, about two milliseconds. */
const STEPS_OF_SLICE = 8

const inSlices = async <Result>(steps: Steps<Result>, pause: () => Promise<void>): Promise<Result> => {
  for (let count = 1; ; count++) {
    const step = steps.next()
    if (step.done === true) return step.value
    if (count % STEPS_OF_SLICE === 0) await pause()
  }
}

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

/** Block reads: recent blocks from memory, all others from headers and segments. */
export const createBlockReader = (
  kv: Pick<KeyValueStore, 'get' | 'pause'>,
  sources: StateSources,
  recent: ReadonlyMap<number, ChainHead>,
  onDamaged: (number: number) => void,
  /** What the operator must do about a damaged record; the default advice when undefined. */
  remedy?: string,
): {
  readonly reads: BlockReads
  /** Caches the block just committed: clients usually request it next. */
  readonly remember: (record: BlockRecord, segmentBytes: number) => void
} => {
  const records = createCache<CachedRecord>(
    RECORD_CACHE_BYTES,
    ({ segmentBytes }) => segmentBytes * DECODED_FACTOR,
  )

  /**
   * The last committed block. Earlier ones are decoded again on request: most nodes have no clients, and each transaction
   * is eight objects to collect.
   */
  let last: ({ readonly key: string } & CachedRecord) | undefined
  const known = (key: string): CachedRecord | undefined => (last?.key === key ? last : records.get(key))

  const onChain = (number: bigint): boolean => number >= 0n && number <= sources.headNumber

  const missing = (key: string, number: bigint): StoreCorruption =>
    new StoreCorruption(key, Number(number), 'it is missing')

  const recordBytes = async (number: bigint): Promise<Uint8Array | undefined> => {
    if (!onChain(number)) return undefined
    const key = segmentKey(Number(number))
    const stored = await kv.get(key)
    const value = stored === undefined ? undefined : checkedValue(key, stored)
    if (value !== undefined) return value
    onDamaged(Number(number))
    const reason = stored === undefined ? 'it is missing' : 'its checksum does not match'
    throw new StoreCorruption(key, Number(number), reason, remedy)
  }
  const segmentOf = async (number: bigint): Promise<Segment | undefined> => {
    const bytes = await recordBytes(number)
    return bytes === undefined ? undefined : openSegment(bytes)
  }
  /** Decodings in progress: concurrent requests for a block share one. */
  const decodings = new Map<string, Promise<BlockRecord | undefined>>()
  const readRecord = async (key: string, number: bigint): Promise<BlockRecord | undefined> => {
    const bytes = await recordBytes(number)
    if (bytes === undefined) return undefined
    const steps = segmentRecordSteps(openSegment(bytes))
    const isLarge = bytes.length > DECODED_AT_ONCE_BYTES
    const record = isLarge ? await inSlices(steps, () => kv.pause()) : runSteps(steps)
    records.set(key, { record, segmentBytes: bytes.length })
    return record
  }

  const memtables = () =>
    sources.immutable === undefined ? [sources.active] : [sources.active, sources.immutable]
  const memtableHead = (number: number): ChainHead | undefined => {
    for (const { heads } of memtables()) {
      const head = heads[number - Number(heads[0]?.header.number)]
      if (head !== undefined) return head
    }
    return undefined
  }

  const chainHead = async (number: bigint): Promise<ChainHead | undefined> => {
    if (!onChain(number)) return undefined
    const head = recent.get(Number(number)) ?? memtableHead(Number(number))
    if (head !== undefined) return head
    const key = headerKey(Number(number))
    const stored = await kv.get(key)
    if (stored === undefined) throw missing(key, number)
    return decodeChainHead(verifiedValue(key, stored, Number(number)))
  }

  const reads: BlockReads = {
    header: async number => (await chainHead(number))?.header,
    chainHead,
    hasRecord: async number => {
      if (!onChain(number)) return false
      const key = segmentKey(Number(number))
      const stored = await kv.get(key)
      return stored !== undefined && checkedValue(key, stored) !== undefined
    },
    record: async number => {
      const key = segmentKey(Number(number))
      const kept = known(key)
      if (kept !== undefined) {
        if (kept === last) records.set(key, kept)
        return kept.record
      }
      let decoding = decodings.get(key)
      if (decoding === undefined) {
        decoding = readRecord(key, number).finally(() => decodings.delete(key))
        decodings.set(key, decoding)
      }
      return await decoding
    },
    logsOf: async number => {
      const kept = known(segmentKey(Number(number)))
      if (kept !== undefined) return logsOfRecord(kept.record)
      // Not cached: a search reads many blocks once and would evict those that others read.
      const segment = await segmentOf(number)
      return segment === undefined ? undefined : logsOfSegment(segment)
    },
    recordBytes,
    blockBytes: async number => (await segmentOf(number))?.block,
    changesOf: async number => {
      const segment = await segmentOf(number)
      return segment === undefined ? undefined : segmentChanges(segment)
    },
    numberOfHash: async hash => {
      const key = blockHashKey(hash)
      for (const { blockNumbers } of memtables()) {
        const number = blockNumbers.get(key)
        if (number !== undefined) return BigInt(number)
      }
      const bytes = await sources.views.fetch(key)
      return bytes === undefined ? undefined : BigInt(createReader(bytes).varint())
    },
    recentHash: number => recent.get(Number(number))?.hash,
    transactionLocation: async hash => {
      for (const { transactions } of memtables()) {
        const place = transactions.get(hash)
        if (place === undefined) continue
        const [block, index] = locationOf(place)
        // The transaction is in a block that is being committed.
        if (block > sources.headNumber) return undefined
        return { blockNumber: BigInt(block), index }
      }
      const bytes = await sources.views.fetch(transactionKey(toBareHex(hash)))
      if (bytes === undefined) return undefined
      const reader = createReader(bytes)
      return { blockNumber: BigInt(reader.varint()), index: reader.varint() }
    },
  }
  const remember = (
    { block, hash, totalDifficulty, senders, receipts }: BlockRecord,
    segmentBytes: number,
  ) => {
    const record = { block, hash, totalDifficulty, senders, receipts }
    last = { key: segmentKey(Number(block.header.number)), record, segmentBytes }
  }
  return { reads, remember }
}
