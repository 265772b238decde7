import type { Block } from '../../../core/block/block.ts'
import type { RecordImport } from '../../../core/chain/chain.ts'
import type { Durable } from '../../../core/store/store.ts'
import { InvalidBlock } from '../../../core/chain/rules/invalidBlock.ts'
import type { Network } from '../../network.ts'
import type { ClockWarning } from '../clockWarning.ts'
import type { SyncContext } from '../context.ts'
import {
  clearFailures,
  highestClaim,
  holdersOf,
  ignoreForNow,
  ignoreClaim,
  markSlow,
  mayHaveRemoved,
  type PeerHead,
  type PeerHeads,
} from './peerHeads.ts'
import { createPrefetch, type Prefetch, type RecoverBlocks } from './prefetch.ts'
import {
  createRangeQueue,
  discardBlocksOf,
  loadingCount,
  nextBlocks,
  type RangeQueue,
  type ReceivedBlock,
  takeBlock,
} from './rangeQueue.ts'
import {
  cancelRequest,
  checkRequests,
  createRangeRequests,
  type RangeRequests,
  type RequestEnd,
  startRequests,
  stopRequests,
} from './rangeRequests.ts'
import {
  requireRecordHolder,
  createRecordSync,
  logRecords,
  recordRefused,
  type RecordSync,
} from './recordSync.ts'
import { createSignal, type Signal } from './signal.ts'

/** Interval between checks for silent and slow peers. */
const CHECK_INTERVAL_MS = 500

/** With this many blocks waiting behind it, a block is made durable together with them. */
const DURABLE_SOON_BLOCKS = 8

export type BlockDownloadOptions = SyncContext & {
  readonly network: Network
  readonly heads: PeerHeads
  readonly recoverBlocks: RecoverBlocks
  readonly clockWarning: ClockWarning
  /** Called after each imported block. */
  readonly onImported: (block: Block) => void
  /** Takes blocks with their state from peers that offer it; undefined to execute every block. */
  readonly importRecord?: RecordImport['importRecord'] | undefined
}

/** Why a download ended. */
export type DownloadEnd =
  /** No peer claims more blocks than this node has. */
  | 'level'
  /** No peer delivers the next block. */
  | 'no-holder'
  /** By the clock of this machine the next block is from the future. */
  | 'early'
  | 'stopped'

export type BlockDownload = {
  /** @throws errors of the store */
  readonly ended: Promise<DownloadEnd>
  /** To be called when a peer connected, disconnected or claims new blocks. */
  readonly wake: () => void
  stop(): void
}

type State = BlockDownloadOptions & {
  readonly queue: RangeQueue
  readonly requests: RangeRequests
  readonly prefetch: Prefetch
  readonly records: RecordSync | undefined
  readonly signal: Signal
  isStopped: boolean
}

const penalize = (
  { log, queue, heads, nowMs, network }: State,
  { key, peer }: PeerHead,
  what: 'bad-response' | 'invalid-block',
  detail: string,
): void => {
  log.warn('No blocks are requested from {peer} for a while: {detail}', { peer: peer.enode, detail })
  if (what === 'invalid-block') discardBlocksOf(queue, key)
  ignoreClaim(heads, key, nowMs())
  network.reportMisbehaviour(peer.address, what, detail)
}

const onRequestEnd = (state: State, holder: PeerHead, end: RequestEnd): void => {
  const { heads, nowMs } = state
  if (end.kind === 'wrong') penalize(state, holder, 'bad-response', end.detail)
  else if (end.kind === 'nothing') {
    const detail = `it claims block ${holder.claimed} and does not deliver block ${end.number}`
    const current = heads.heads.get(holder.key) ?? holder
    if (mayHaveRemoved(current, end.number)) ignoreForNow(heads, holder.key, nowMs())
    // A claim inferred from a message that it forwarded is not its own.
    else if (holder.peer.status.headNumber >= end.number) penalize(state, holder, 'bad-response', detail)
    else ignoreClaim(heads, holder.key, nowMs())
  } else if (end.kind === 'failed') {
    if (end.isMisbehaviour) penalize(state, holder, 'bad-response', end.detail)
    else ignoreForNow(heads, holder.key, nowMs())
  }
  state.signal.wake()
}

const onSlow = ({ log, heads, nowMs, signal }: State, { key, peer }: PeerHead): void => {
  log.debug('{peer} is slow: its blocks are requested from another peer', { peer: peer.enode })
  markSlow(heads, key, nowMs())
  signal.wake()
}

/** False for a block that the chain already has. @throws InvalidBlock */
const importReceived = async (
  { chain, records, nowMs }: State,
  { block, record }: ReceivedBlock,
  durable: Durable,
): Promise<boolean> => {
  if (record === undefined || records === undefined)
    return (await chain.importBlock(block, { nowMs: nowMs(), durable })) === 'imported'
  // An announced block may have become the head meanwhile.
  if (block.header.number <= chain.head().header.number) return false
  await records.importRecord(record, { nowMs: nowMs() })
  records.imported++
  return true
}

const importOne = async (state: State, received: ReceivedBlock): Promise<'early' | undefined> => {
  const { queue, prefetch } = state
  const { block, from } = received
  prefetch.begin(block, count => nextBlocks(queue, count).map(next => next.block))
  await prefetch.ready(block)
  // The peers have these blocks: those lost in a crash are downloaded again.
  const durable = nextBlocks(queue, DURABLE_SOON_BLOCKS).length < DURABLE_SOON_BLOCKS ? 'now' : 'soon'
  try {
    if (!(await importReceived(state, received, durable))) return undefined
  } catch (error) {
    if (!(error instanceof InvalidBlock)) throw error
    if (error.rule === 'future-timestamp') {
      state.clockWarning(block.header)
      return 'early'
    }
    cancelRequest(state.requests, from.key)
    if (received.record !== undefined) recordRefused(state.records)
    penalize(state, from, 'invalid-block', error.message)
    return undefined
  }
  clearFailures(state.heads, from.key)
  state.onImported(block)
  return undefined
}

const run = async (state: State): Promise<DownloadEnd> => {
  const { chain, heads, queue, requests, signal, nowMs } = state
  const yieldTurn = state.createYield()
  for (;;) {
    if (state.isStopped) return 'stopped'
    const number = chain.head().header.number + 1n
    const received = takeBlock(queue, number)
    // A peer has one request: while all have one, none can be asked.
    const hasIdlePeer = requests.byPeer.size < heads.heads.size
    const holders = received === undefined || hasIdlePeer ? holdersOf(heads, number, nowMs()) : []
    requireRecordHolder(state.records, holders, number)
    startRequests(requests, holders)
    if (received !== undefined) {
      if ((await importOne(state, received)) === 'early') return 'early'
      await yieldTurn()
      continue
    }
    if ((highestClaim(heads, nowMs()) ?? 0n) < number) return 'level'
    if (loadingCount(queue) === 0) return 'no-holder'
    await signal.wait(CHECK_INTERVAL_MS)
    checkRequests(requests, holders)
  }
}

const runToEnd = async (state: State): Promise<DownloadEnd> => {
  try {
    return await run(state)
  } finally {
    await stopRequests(state.requests)
    if (state.records !== undefined) logRecords(state.records)
    await state.chain.store.settle()
  }
}

/**
 * Downloads and imports the blocks that the peers have beyond the head, in order, each fully validated. A peer that delivers
 * a wrong block, or none where it claims one, is reported and ignored for a while, and another one is asked.
 */
export const startBlockDownload = (options: BlockDownloadOptions): BlockDownload => {
  const { chain, network, nowMs, createYield } = options
  const queue = createRangeQueue(chain.head().header.number + 1n)
  const signal = createSignal()
  const records =
    options.importRecord === undefined ? undefined : createRecordSync(options.importRecord, options.log)
  const state: State = {
    ...options,
    queue,
    signal,
    records,
    prefetch: createPrefetch(options.recoverBlocks),
    requests: createRangeRequests({
      network,
      queue,
      records,
      nowMs,
      createYield,
      onBlock: signal.wake,
      onEnd: (holder, end) => onRequestEnd(state, holder, end),
      onSlow: holder => onSlow(state, holder),
    }),
    isStopped: false,
  }
  return {
    ended: runToEnd(state),
    wake: signal.wake,
    stop: () => {
      state.isStopped = true
      signal.wake()
    },
  }
}
