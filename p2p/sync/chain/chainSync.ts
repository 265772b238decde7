import type { Block } from '../../../core/block/block.ts'
import type { Chain } from '../../../core/chain/chain.ts'
import { StoreFailed } from '../../../core/store/storeFailed.ts'
import type { Network } from '../../network.ts'
import type { Log } from '../../log.ts'
import type { RecoverSeals } from '../../../core/chain/rules/seals.ts'
import type { RecoverSenders } from '../../../core/chain/importing/validation.ts'
import type { CreateYield } from '../../yieldTurn.ts'
import type { ClockWarning } from '../clockWarning.ts'
import { type CatchUp, type CatchUpEnd, startCatchUp } from './blockDownload.ts'
import type { SyncingStatus } from '../../../core/chain/syncingStatus.ts'
import type { PeerHeads } from './peerHeads.ts'
import { type Progress, type SyncReport, startSyncReport } from './syncReport.ts'

/** A block that others have is mostly on its way here: committed by consensus or announced. Asked for when it stays out. */
const GRACE_MS = 1_000

/** Several that come out together are announced one after the other within this. */
const GRACE_OF_SEVERAL_MS = 100

/**
 * How long `syncMinPeers` is waited for. Every block is held against all rules, so more peers make nothing safer, and a
 * small network may never have as many.
 */
const PEERS_WAIT_MS = 3_000

/** After a failure of the store, or a block that is early. */
const RETRY_MS = 2_000

/** Consensus rests when so many blocks are left, and goes on when no more than LEVEL_BLOCKS are. */
const RESTS_BLOCKS = 3n
const LEVEL_BLOCKS = 1n

/** Consensus rests no longer than this after the last block that stood: claims alone do not hold it up. */
const HOLD_MS = 5_000

export type ChainSyncOptions = {
  readonly chain: Chain
  readonly heads: PeerHeads
  readonly recoverSenders: RecoverSenders
  readonly recoverSeals: RecoverSeals
  readonly log: Log
  readonly nowMs: () => number
  readonly createYield: CreateYield
  readonly clockWarning: ClockWarning
  readonly syncMinPeers: number
  /** Announced blocks that are being imported: nobody has to be asked for them. */
  readonly importing: () => number
  readonly showProgress: (() => Progress) | undefined
}

export type ChainSync = {
  attach(network: Network): void
  /** A peer came, went or told of blocks, or the chain has a new head. */
  readonly consider: () => void
  readonly progress: () => SyncingStatus | undefined
  readonly onProgress: (listener: () => void) => () => void
  stop(): Promise<void>
}

type Session = {
  readonly startingBlock: bigint
  readonly catchUp: CatchUp
  readonly report: SyncReport
  /** When a block that was fetched last proved valid; undefined before the first. */
  importedMs: number | undefined
}

const ENDINGS: Readonly<Record<CatchUpEnd, string>> = {
  level: 'Caught up',
  nobody: 'Catching up waits for a peer that gives the next block',
  early: 'Catching up waits: by the clock of this machine the next block is from the future',
  stopped: 'Catching up was stopped',
}

/** Decides when this node has to catch up, and tells others while it does. */
export const createChainSync = (options: ChainSyncOptions): ChainSync => {
  const { chain, heads, recoverSenders, recoverSeals, log, nowMs, syncMinPeers, importing, showProgress } =
    options
  let network: Network | undefined
  let session: Session | undefined
  let ended: Promise<void> = Promise.resolve()
  let timer: ReturnType<typeof setTimeout> | undefined
  let stopped = false
  /** Since when peers have been ahead of which head. */
  let behind: { readonly sinceMs: number; readonly head: bigint } | undefined
  /** Peers were waited for once; whoever falls behind later does not wait again. */
  let metPeers = false
  let notBeforeMs = 0
  let shown = false
  const listeners = new Set<() => void>()

  const headNumber = (): bigint => chain.head().header.number
  const lag = (): bigint => (heads.highest(nowMs()) ?? 0n) - headNumber()
  /** Blocks that are not on their way. */
  const missing = (): bigint => lag() - BigInt(importing())

  const rests = (): boolean => {
    if (session?.importedMs === undefined || nowMs() - session.importedMs >= HOLD_MS) return false
    return lag() > (shown ? LEVEL_BLOCKS : RESTS_BLOCKS - 1n)
  }

  const show = (): void => {
    const now = rests()
    // Looked at again when the last block is too long ago.
    if (now) wakeAt((session?.importedMs ?? 0) + HOLD_MS)
    if (now === shown) return
    shown = now
    for (const listener of listeners) listener()
  }

  const wakeAt = (atMs: number): void => {
    clearTimeout(timer)
    timer = setTimeout(consider, Math.max(atMs - nowMs(), 1))
  }

  /** When catching up may begin; undefined when there is nothing to catch up with. */
  const dueMs = (): number | undefined => {
    const blocks = missing()
    const atMs = nowMs()
    if (blocks <= 0n) {
      behind = undefined
      return heads.nextReturnMs(atMs)
    }
    if (behind?.head !== headNumber()) behind = { sinceMs: atMs, head: headNumber() }
    const graceMs = blocks > 1n ? GRACE_OF_SEVERAL_MS : GRACE_MS
    const peersMs = metPeers || heads.count >= syncMinPeers ? 0 : PEERS_WAIT_MS
    return Math.max(behind.sinceMs + Math.max(graceMs, peersMs), notBeforeMs)
  }

  const imported = (block: Block): void => {
    if (session === undefined) return
    session.importedMs = nowMs()
    session.report.imported(block, heads.highest(nowMs()) ?? block.header.number)
    show()
  }

  const begin = (over: Network): void => {
    metPeers = true
    const startingBlock = headNumber()
    const highest = heads.highest(nowMs()) ?? startingBlock
    const catchUp = startCatchUp({
      chain,
      network: over,
      heads,
      recoverSenders,
      recoverSeals,
      log,
      nowMs,
      createYield: options.createYield,
      clockWarning: options.clockWarning,
      onImported: imported,
    })
    const report = startSyncReport(log, startingBlock, highest, heads.count, nowMs, showProgress)
    session = { startingBlock, catchUp, report, importedMs: undefined }
    ended = catchUp.ended
      .then(
        how => {
          report.end(ENDINGS[how])
          if (how !== 'level') notBeforeMs = nowMs() + RETRY_MS
        },
        (error: unknown) => {
          report.end('Catching up failed')
          // Who watches the store has logged it.
          if (!(error instanceof StoreFailed))
            log.error('Blocks could not be imported: {error}. Trying again in {seconds} s.', {
              error,
              seconds: RETRY_MS / 1000,
            })
          notBeforeMs = nowMs() + RETRY_MS
        },
      )
      .then(() => {
        session = undefined
        behind = undefined
        consider()
      })
  }

  const consider = (): void => {
    if (stopped || network === undefined) return
    show()
    if (session !== undefined) return session.catchUp.wake()
    const due = dueMs()
    if (due === undefined) clearTimeout(timer)
    else if (chain.store.failure() !== undefined) wakeAt(nowMs() + RETRY_MS)
    else if (due > nowMs() || missing() <= 0n) wakeAt(due)
    else begin(network)
  }

  return {
    attach: attached => {
      network = attached
      consider()
    },
    consider,
    progress: () => {
      if (!shown || session === undefined) return undefined
      const currentBlock = headNumber()
      const highest = heads.highest(nowMs()) ?? currentBlock
      return {
        startingBlock: session.startingBlock,
        currentBlock,
        highestBlock: highest > currentBlock ? highest : currentBlock,
      }
    },
    onProgress: listener => {
      listeners.add(listener)
      return () => {
        listeners.delete(listener)
      }
    },
    stop: async () => {
      stopped = true
      clearTimeout(timer)
      session?.catchUp.stop()
      await ended
    },
  }
}
