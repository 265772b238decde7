import { DecodeError } from '../../../core/block/codec/error.ts'
import { RlpError } from '../../../core/rlp/rlp.ts'
import { runStepsYielding } from '../../../core/steps.ts'
import { MalformedRecord } from '../../../core/store/codec/reader.ts'
import { commitOfSegmentSteps } from '../../../core/store/recovery/recover.ts'
import { SENT_BLOCK_BYTES_MAX } from '../../blocks/blockMessages.ts'
import { joinPieces } from '../../blocks/records.ts'
import { errorText } from '../../../core/text/errorText.ts'
import { NetworkError } from '../../error.ts'
import type { Network } from '../../network.ts'
import type { CreateYield } from '../../../core/scheduler.ts'
import { decodeBlockYielding } from './decodeBlock.ts'
import type { PeerHead } from './peerHeads.ts'
import {
  addBlock,
  closeRange,
  openRange,
  type Range,
  type RangeQueue,
  type ReceivedBlock,
} from './rangeQueue.ts'
import { lastRecordOf, type RecordSync } from './recordSync.ts'

/** A request is cancelled when the peer sends nothing for this long. */
const SILENCE_MAX_MS = 10_000

/** A request that holds up the import for this long is cancelled if another peer is idle. */
const SLOW_MS = 3_000

/** Blocks of one request: some tens of milliseconds of import, so that a wrong block costs little. */
const REQUEST_BLOCKS_MAX = 256

/** Bytes of one request, by the average size of earlier blocks. */
const REQUEST_BYTES = 4 * 1024 * 1024

/** Bytes that arrived and are not imported, or are expected. Above this no request is started. */
const WINDOW_BYTES = 32 * 1024 * 1024

/** Assumed size of a block before the first one arrives. */
const FIRST_BLOCK_BYTES = 1_024

/** Concurrent requests: more do not speed up the import. */
const REQUESTS_MAX = 6

/** How a request ended. */
export type RequestEnd =
  | { readonly kind: 'delivered' }
  /** The peer sent nothing although it claims the block. */
  | { readonly kind: 'nothing'; readonly number: bigint }
  /** The peer sent something other than requested. */
  | { readonly kind: 'wrong'; readonly detail: string }
  /** The peer disconnected, was silent or sent too much. A lost connection alone is not misbehaviour. */
  | { readonly kind: 'failed'; readonly detail: string; readonly isMisbehaviour: boolean }
  | { readonly kind: 'cancelled' }

type Request = {
  readonly holder: PeerHead
  readonly range: Range
  /** Whether records are requested rather than blocks. */
  readonly isOfRecords: boolean
  readonly controller: AbortController
  readonly startedMs: number
  /** When the last block arrived; the start of the request before the first one. */
  receivedMs: number
}

export type RangeRequestOptions = {
  readonly network: Network
  readonly queue: RangeQueue
  /** Undefined to request blocks only. */
  readonly records: RecordSync | undefined
  /** Milliseconds. */
  readonly nowMs: () => number
  readonly createYield: CreateYield
  /** Called when a block arrived. */
  readonly onBlock: () => void
  readonly onEnd: (holder: PeerHead, end: RequestEnd) => void
  /** Called when a request was cancelled because it held up the import. */
  readonly onSlow: (holder: PeerHead) => void
}

/** Running requests for ranges of blocks, at most one for each peer. */
export type RangeRequests = RangeRequestOptions & {
  readonly byPeer: Map<string, Request>
  readonly running: Set<Promise<void>>
  /** Everything that arrived, for the average size. */
  readonly arrived: { blocks: number; bytes: number }
  isStopped: boolean
}

export const createRangeRequests = (options: RangeRequestOptions): RangeRequests => ({
  ...options,
  byPeer: new Map(),
  running: new Set(),
  arrived: { blocks: 0, bytes: 0 },
  isStopped: false,
})

const averageBytes = ({ blocks, bytes }: RangeRequests['arrived']): number =>
  blocks === 0 ? FIRST_BLOCK_BYTES : Math.ceil(bytes / blocks)

const rangeBlocks = ({ arrived }: RangeRequests): number =>
  Math.max(1, Math.min(REQUEST_BLOCKS_MAX, Math.floor(REQUEST_BYTES / averageBytes(arrived))))

/** Calls `onArrival` for each item, also for a piece of a record that is not complete yet. */
async function* noting(items: AsyncIterable<Uint8Array>, onArrival: () => void): AsyncGenerator<Uint8Array> {
  for await (const item of items) {
    onArrival()
    yield item
  }
}

/** @throws DecodeError, MalformedRecord, RlpError */
const decode = async (
  { createYield }: RangeRequests,
  { isOfRecords }: Request,
  encoded: Uint8Array,
): Promise<Pick<ReceivedBlock, 'block' | 'record'>> => {
  if (!isOfRecords) return { block: await decodeBlockYielding(encoded, createYield) }
  const record = await runStepsYielding(commitOfSegmentSteps(encoded), createYield())
  return { block: record.block, record }
}

/** Reads the answer to a request. @throws DecodeError, NetworkError */
const receive = async (requests: RangeRequests, request: Request): Promise<RequestEnd> => {
  const { network, queue, arrived, nowMs } = requests
  const { holder, range, controller } = request
  const yieldTurn = requests.createYield()
  const { signal } = controller
  const first = range.from
  let next = first
  const count = Number(range.to - first)
  const onArrival = (): void => {
    request.receivedMs = nowMs()
  }
  const answered = request.isOfRecords
    ? joinPieces(noting(network.requestRecords(holder.peer, next, count, signal), onArrival))
    : noting(network.requestBlocks(holder.peer, next, count, signal), onArrival)
  for await (const encoded of answered) {
    // Many small blocks arrive at once.
    await yieldTurn()
    if (signal.aborted) return { kind: 'cancelled' }
    if (!request.isOfRecords && encoded.length > SENT_BLOCK_BYTES_MAX)
      return { kind: 'wrong', detail: `${encoded.length} bytes instead of block ${next}` }
    const { block, record } = await decode(requests, request, encoded)
    if (signal.aborted) return { kind: 'cancelled' }
    if (block.header.number !== next)
      return { kind: 'wrong', detail: `block ${block.header.number} instead of block ${next}` }
    arrived.blocks++
    arrived.bytes += encoded.length
    // The chain may have got the block another way meanwhile.
    if (next >= range.from) addBlock(queue, range, { block, record, bytes: encoded.length, from: holder })
    next++
    requests.onBlock()
    const isFull = queue.bytes > 2 * WINDOW_BYTES && queue.ranges[0] !== range
    if (next >= range.to || isFull) return { kind: 'delivered' }
  }
  if (signal.aborted) return { kind: 'cancelled' }
  return next > first ? { kind: 'delivered' } : { kind: 'nothing', number: first }
}

const endAfterError = (error: unknown, isCancelled: boolean): RequestEnd => {
  if (isCancelled) return { kind: 'cancelled' }
  if ([DecodeError, MalformedRecord, RlpError].some(kind => error instanceof kind))
    return { kind: 'wrong', detail: errorText(error) }
  const isMisbehaviour = error instanceof NetworkError && error.code !== 'NOT_CONNECTED'
  return { kind: 'failed', detail: errorText(error), isMisbehaviour }
}

const run = async (requests: RangeRequests, request: Request): Promise<void> => {
  const { controller, holder, range } = request
  let end: RequestEnd
  try {
    end = await receive(requests, request)
  } catch (error) {
    end = endAfterError(error, controller.signal.aborted)
  }
  // Closes the stream of an answer that was not read to its end.
  controller.abort()
  requests.byPeer.delete(holder.key)
  closeRange(requests.queue, range)
  requests.onEnd(holder, end)
}

const start = (requests: RangeRequests, holder: PeerHead, range: Range, isOfRecords: boolean): void => {
  const atMs = requests.nowMs()
  const request = {
    holder,
    range,
    isOfRecords,
    controller: new AbortController(),
    startedMs: atMs,
    receivedMs: atMs,
  }
  requests.byPeer.set(holder.key, request)
  const running: Promise<void> = run(requests, request).finally(() => requests.running.delete(running))
  requests.running.add(running)
}

const canRequest = (requests: RangeRequests): boolean => {
  const { byPeer, queue, arrived } = requests
  const [first] = queue.ranges
  // The import waits for the first range, however much of the later ones has arrived.
  if (first !== undefined && !first.isLoading && first.blocks.length === 0) return true
  const expected = byPeer.size * rangeBlocks(requests) * averageBytes(arrived)
  return byPeer.size < REQUESTS_MAX && queue.bytes + expected < WINDOW_BYTES
}

/** Starts requests to idle peers while there is room for their blocks. */
export const startRequests = (requests: RangeRequests, holders: readonly PeerHead[]): void => {
  for (const holder of holders) {
    if (requests.isStopped || !canRequest(requests)) return
    if (requests.byPeer.has(holder.key)) continue
    const { queue, records } = requests
    const last = lastRecordOf(records, holder)
    const ofRecords = last === undefined ? undefined : openRange(queue, last, rangeBlocks(requests))
    const range = ofRecords ?? openRange(queue, holder.claimed, rangeBlocks(requests))
    if (range !== undefined) start(requests, holder, range, ofRecords !== undefined)
  }
}

/** Cancels requests to silent peers, and the one that holds up the import if another peer is idle. */
export const checkRequests = (requests: RangeRequests, holders: readonly PeerHead[]): void => {
  const { byPeer, queue, onEnd, onSlow } = requests
  const atMs = requests.nowMs()
  for (const { holder, range, controller, startedMs, receivedMs } of byPeer.values()) {
    if (controller.signal.aborted) continue
    if (atMs - receivedMs >= SILENCE_MAX_MS) {
      controller.abort()
      onEnd(holder, {
        kind: 'failed',
        detail: `no block for ${SILENCE_MAX_MS / 1000} s`,
        isMisbehaviour: true,
      })
      continue
    }
    const holdsUp = queue.ranges[0] === range && atMs - startedMs >= SLOW_MS
    if (!holdsUp || holders.every(({ key }) => byPeer.has(key))) continue
    controller.abort()
    onSlow(holder)
  }
}

export const cancelRequest = ({ byPeer }: RangeRequests, key: string): void =>
  byPeer.get(key)?.controller.abort()

/** Cancels all requests. Resolves when they have ended. */
export const stopRequests = async (requests: RangeRequests): Promise<void> => {
  requests.isStopped = true
  for (const { controller } of requests.byPeer.values()) controller.abort()
  await Promise.all(requests.running)
}
