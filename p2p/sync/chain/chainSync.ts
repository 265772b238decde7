import type { Block } from '../../../core/block/block.ts'
import type { RecordImport } from '../../../core/chain/chain.ts'
import type { SyncingStatus } from '../../../core/chain/syncingStatus.ts'
import { StoreFailed } from '../../../core/store/storeFailed.ts'
import type { Network } from '../../network.ts'
import type { ClockWarning } from '../clockWarning.ts'
import type { SyncContext } from '../context.ts'
import { type BlockDownload, type DownloadEnd, startBlockDownload } from './blockDownload.ts'
import type { RecoverBlocks } from './prefetch.ts'
import { firstKeptBlock, highestClaim, nextClaimMs, type PeerHeads } from './peerHeads.ts'
import { type Progress, type SyncReport, startSyncReport } from './syncReport.ts'

/** Delay before one missing block is requested: mostly consensus or an announcement brings it. */
const GRACE_MS = 1_000

/** Delay before several missing blocks are requested: those produced together are announced within it. */
const SEVERAL_BLOCKS_GRACE_MS = 100

/**
 * Longest wait for `syncMinPeers`. Every block is fully validated, so more peers add no safety, and a small network may never
 * have that many.
 */
const PEERS_WAIT_MS = 3_000

/** Delay before the next attempt after a failure of the store, or a block from the future. */
const SYNC_RETRY_MS = 2_000

/** Consensus pauses when this many blocks are missing, and resumes at LEVEL_BLOCKS. */
const PAUSE_BLOCKS = 3n
const LEVEL_BLOCKS = 1n

/**
 * A head that is older shows a node that takes no part: what peers claim beyond it counts before any block arrives. With a
 * fresh head a peer's claim alone does not make the node unready.
 */
const FRESH_HEAD_MS = 10_000

/**
 * Consensus resumes this long after the last valid block that is older than FRESH_HEAD_MS: neither claims of peers alone pause
 * it, nor a peer that claims more and delivers each new block before others do.
 */
const PAUSE_MAX_MS = 5_000

export type ChainSyncOptions = SyncContext & {
  readonly heads: PeerHeads
  readonly network: () => Network | undefined
  readonly recoverBlocks: RecoverBlocks
  readonly clockWarning: ClockWarning
  /** Takes blocks with their state from peers that offer it; undefined to execute every block. */
  readonly importRecord?: RecordImport['importRecord'] | undefined
  readonly syncMinPeers: number
  /** Number of announced blocks that are being imported: they need no request. */
  readonly importing: () => number
  readonly showProgress: (() => Progress) | undefined
}

export type ChainSync = {
  /** To be called when the network starts, a peer connects, disconnects or claims blocks, and on a new head. */
  readonly update: () => void
  /** Undefined while the chain is level with the peers. */
  readonly progress: () => SyncingStatus | undefined
  /** As `progress()`, and also before a download begins or where no peer keeps the next block; undefined with a fresh head. */
  readonly lag: () => SyncingStatus | undefined
  /** Calls the listener when `progress()` becomes defined or undefined. Returns the function that removes it. */
  readonly onProgress: (listener: () => void) => () => void
  stop(): Promise<void>
}

type Session = {
  readonly startingBlock: bigint
  readonly download: BlockDownload
  readonly report: SyncReport
  /** When the last old block was imported; undefined before the first one. */
  oldBlockMs: number | undefined
}

type State = ChainSyncOptions & {
  readonly listeners: Set<() => void>
  session: Session | undefined
  sessionEnded: Promise<void>
  timer: ReturnType<typeof setTimeout> | undefined
  /** The head, and since when peers have been ahead of it. */
  behind: { readonly sinceMs: number; readonly head: bigint } | undefined
  /** Only the first session waits for `syncMinPeers`. */
  hasReachedMinPeers: boolean
  /** No session starts before this. */
  notBeforeMs: number
  /** The next block when the log last said that all peers have removed it. */
  removedBlock: bigint | undefined
  isConsensusPaused: boolean
  isStopped: boolean
}

const LOGGED_ENDS: Readonly<Record<DownloadEnd, string>> = {
  level: 'Synced',
  'no-holder': 'Sync waits for a peer that delivers the next block',
  early: 'Sync waits: by the clock of this machine the next block is from the future',
  stopped: 'Sync stopped',
}

const headNumber = ({ chain }: State): bigint => chain.head().header.number

/** Number of blocks that peers have beyond the head. */
const lag = (state: State): bigint => (highestClaim(state.heads, state.nowMs()) ?? 0n) - headNumber(state)

/** Number of blocks that have to be requested. */
const missing = (state: State): bigint => lag(state) - BigInt(state.importing())

const mustPause = (state: State): boolean => {
  const oldBlockMs = state.session?.oldBlockMs
  if (oldBlockMs === undefined || state.nowMs() - oldBlockMs >= PAUSE_MAX_MS) return false
  return lag(state) > (state.isConsensusPaused ? LEVEL_BLOCKS : PAUSE_BLOCKS - 1n)
}

const updateAt = (state: State, atMs: number): void => {
  clearTimeout(state.timer)
  state.timer = setTimeout(() => update(state), Math.max(atMs - state.nowMs(), 1))
}

const updatePause = (state: State): void => {
  const isPaused = mustPause(state)
  if (isPaused) updateAt(state, (state.session?.oldBlockMs ?? 0) + PAUSE_MAX_MS)
  if (isPaused === state.isConsensusPaused) return
  state.isConsensusPaused = isPaused
  for (const listener of state.listeners) listener()
}

/** Logs once for a block that no session can begin at it. */
const logRemoved = (state: State, number: bigint, firstKept: bigint): void => {
  if (state.removedBlock === number) return
  state.removedBlock = number
  state.log.warn(
    'No connected peer keeps block {number}: the peers keep their blocks from {firstKept} on (--prune-history). Connect a node that keeps all blocks',
    { number, firstKept },
  )
}

/** When a session may start; undefined if no block is missing and no ignored claim will count again. */
const dueMs = (state: State): number | undefined => {
  const { heads, syncMinPeers } = state
  const blocks = missing(state)
  const atMs = state.nowMs()
  if (blocks <= 0n) {
    state.behind = undefined
    return nextClaimMs(heads, atMs)
  }
  const head = headNumber(state)
  const firstKept = firstKeptBlock(heads, head + 1n, atMs)
  if (firstKept !== undefined) {
    logRemoved(state, head + 1n, firstKept)
    return nextClaimMs(heads, atMs)
  }
  if (state.behind?.head !== head) state.behind = { sinceMs: atMs, head }
  const graceMs = blocks > 1n ? SEVERAL_BLOCKS_GRACE_MS : GRACE_MS
  const peersMs = state.hasReachedMinPeers || heads.heads.size >= syncMinPeers ? 0 : PEERS_WAIT_MS
  return Math.max(state.behind.sinceMs + Math.max(graceMs, peersMs), state.notBeforeMs)
}

const onImported = (state: State, block: Block): void => {
  const { session, heads, nowMs } = state
  if (session === undefined) return
  if (nowMs() - Number(block.header.timestamp) * 1000 >= FRESH_HEAD_MS) session.oldBlockMs = nowMs()
  session.report.imported(block, highestClaim(heads, nowMs()) ?? block.header.number)
  updatePause(state)
}

const onFailed = ({ log }: State, error: unknown): void => {
  // The failure of a store is logged where it is noticed.
  if (error instanceof StoreFailed) return
  log.error('Blocks could not be imported: {error}. Trying again in {seconds} s.', {
    error,
    seconds: SYNC_RETRY_MS / 1000,
  })
}

const startSession = (state: State, network: Network): void => {
  const { log, heads, nowMs, showProgress } = state
  state.hasReachedMinPeers = true
  const startingBlock = headNumber(state)
  const highestBlock = highestClaim(heads, nowMs()) ?? startingBlock
  const download = startBlockDownload({ ...state, network, onImported: block => onImported(state, block) })
  const peers = heads.heads.size
  const report = startSyncReport({ log, startingBlock, highestBlock, peers, nowMs, showProgress })
  state.session = { startingBlock, download, report, oldBlockMs: undefined }
  const onEnded = (how: DownloadEnd): void => {
    report.end(LOGGED_ENDS[how])
    if (how !== 'level') state.notBeforeMs = nowMs() + SYNC_RETRY_MS
  }
  const onError = (error: unknown): void => {
    report.end('Sync failed')
    onFailed(state, error)
    state.notBeforeMs = nowMs() + SYNC_RETRY_MS
  }
  state.sessionEnded = download.ended.then(onEnded, onError).then(() => {
    state.session = undefined
    state.behind = undefined
    update(state)
  })
}

const update = (state: State): void => {
  const network = state.network()
  if (state.isStopped || network === undefined) return
  updatePause(state)
  if (state.session !== undefined) return state.session.download.wake()
  const due = dueMs(state)
  const now = state.nowMs()
  if (due === undefined) clearTimeout(state.timer)
  else if (state.chain.store.failure() !== undefined) updateAt(state, now + SYNC_RETRY_MS)
  else if (due > now || missing(state) <= 0n) updateAt(state, due)
  else startSession(state, network)
}

const progress = (state: State): SyncingStatus | undefined => {
  const { session, isConsensusPaused } = state
  if (!isConsensusPaused || session === undefined) return undefined
  const currentBlock = headNumber(state)
  const highest = highestClaim(state.heads, state.nowMs()) ?? currentBlock
  const highestBlock = highest > currentBlock ? highest : currentBlock
  return { startingBlock: session.startingBlock, currentBlock, highestBlock }
}

const lagOf = (state: State): SyncingStatus | undefined => {
  const current = progress(state)
  const { header } = state.chain.head()
  if (current !== undefined || lag(state) <= 0n) return current
  if (state.nowMs() - Number(header.timestamp) * 1000 < FRESH_HEAD_MS) return undefined
  const startingBlock = state.session?.startingBlock ?? header.number
  return { startingBlock, currentBlock: header.number, highestBlock: header.number + lag(state) }
}

/** Keeps the chain level with the peers: starts block downloads, and reports their progress. */
export const createChainSync = (options: ChainSyncOptions): ChainSync => {
  const state: State = {
    ...options,
    listeners: new Set(),
    session: undefined,
    sessionEnded: Promise.resolve(),
    timer: undefined,
    behind: undefined,
    hasReachedMinPeers: false,
    notBeforeMs: 0,
    removedBlock: undefined,
    isConsensusPaused: false,
    isStopped: false,
  }
  return {
    update: () => update(state),
    progress: () => progress(state),
    lag: () => lagOf(state),
    onProgress: listener => {
      state.listeners.add(listener)
      return () => void state.listeners.delete(listener)
    },
    stop: async () => {
      state.isStopped = true
      clearTimeout(state.timer)
      state.session?.download.stop()
      await state.sessionEnded
    },
  }
}
