import type { Block } from '../../../core/block/block.ts'
import type { Chain } from '../../../core/chain/chain.ts'
import { InvalidBlock } from '../../../core/chain/rules/invalidBlock.ts'
import type { Network } from '../../network.ts'
import type { Log } from '../../log.ts'
import type { RecoverSeals } from '../../../core/chain/rules/seals.ts'
import type { RecoverSenders } from '../../../core/chain/importing/validation.ts'
import type { ClockWarning } from '../clockWarning.ts'
import { createDownload, type Ending } from './rangeRequests.ts'
import { AHEAD_BLOCKS, createPrefetch } from './prefetch.ts'
import type { PeerHead, PeerHeads } from './peerHeads.ts'
import { createRanges, type Received } from './rangeQueue.ts'
import type { CreateYield } from '../../yieldTurn.ts'
import { createSignal } from './signal.ts'

/** How often requests are looked at that may take too long. */
const CHECK_MS = 500

/** With so many more waiting, a block is made durable with those that follow. */
const DURABLE_SOON_BLOCKS = 8

export type BlockDownloadOptions = {
  readonly chain: Chain
  readonly network: Network
  readonly heads: PeerHeads
  readonly recoverSenders: RecoverSenders
  readonly recoverSeals: RecoverSeals
  readonly log: Log
  readonly nowMs: () => number
  readonly createYield: CreateYield
  readonly clockWarning: ClockWarning
  /** After each block that was imported. */
  readonly onImported: (block: Block) => void
}

/** Why catching up ended. */
export type CatchUpEnd =
  /** Nobody claims more than this node has. */
  | 'level'
  /** Nobody gives the next block. */
  | 'nobody'
  /** By the clock of this machine the next block is from the future. */
  | 'early'
  | 'stopped'

export type CatchUp = {
  /** @throws what the store throws; nobody else's fault */
  readonly ended: Promise<CatchUpEnd>
  /** Somebody came, went or told a new head. */
  readonly wake: () => void
  stop(): void
}

/**
 * Fetches and imports what the connected nodes have and this one has not, in order, every block by all rules. Who gives a
 * wrong block, or none where it claims to have it, is reported and set aside, and another is asked.
 */
export const startCatchUp = (options: BlockDownloadOptions): CatchUp => {
  const { chain, network, heads, log, nowMs, onImported } = options
  const nextNumber = (): bigint => chain.head().header.number + 1n
  const ranges = createRanges(nextNumber())
  const signal = createSignal()
  const prefetch = createPrefetch(options.recoverSenders, options.recoverSeals)
  let stopped = false

  const blame = (holder: PeerHead, what: 'bad-response' | 'invalid-block', detail: string): void => {
    log.warn('{peer} is not asked for blocks for a while: {detail}', { peer: holder.peer.enode, detail })
    if (what === 'invalid-block') ranges.discard(holder.key)
    heads.failed(holder.key, nowMs())
    network.reportMisbehaviour(holder.peer.address, what, detail)
  }

  const onEnding = (holder: PeerHead, ending: Ending): void => {
    if (ending.kind === 'wrong') blame(holder, 'bad-response', ending.detail)
    else if (ending.kind === 'nothing') {
      const detail = `it claims block ${holder.claimed} and does not give block ${ending.number}`
      // What it was only thought to have, by a message it passed on, is no claim of its own.
      if (holder.peer.status.headNumber >= ending.number) blame(holder, 'bad-response', detail)
      else heads.failed(holder.key, nowMs())
    } else if (ending.kind === 'failed') {
      if (ending.isToBlame) blame(holder, 'bad-response', ending.detail)
      else heads.lost(holder.key, nowMs())
    }
    signal.wake()
  }

  const download = createDownload({
    network,
    ranges,
    nowMs,
    createYield: options.createYield,
    onBlock: signal.wake,
    onEnding,
    onSlow: holder => {
      log.debug('{peer} is slow: another one is asked in its place', { peer: holder.peer.enode })
      heads.slow(holder.key, nowMs())
      signal.wake()
    },
  })

  const importOne = async ({ block, from }: Received): Promise<'early' | undefined> => {
    const following = ranges.ahead(AHEAD_BLOCKS).map(received => received.block)
    prefetch.begin([block, ...following])
    await prefetch.ready(block)
    // Others have these: what a stop loses is fetched again.
    const durable = following.length >= DURABLE_SOON_BLOCKS ? 'soon' : 'now'
    try {
      if ((await chain.importBlock(block, { nowMs: nowMs(), durable })) === 'known') return undefined
    } catch (error) {
      if (!(error instanceof InvalidBlock)) throw error
      if (error.rule === 'future-timestamp') {
        options.clockWarning(block.header)
        return 'early'
      }
      download.callOff(from.key)
      blame(from, 'invalid-block', error.message)
      return undefined
    }
    heads.delivered(from.key)
    onImported(block)
    return undefined
  }

  const run = async (): Promise<CatchUpEnd> => {
    const pause = options.createYield()
    for (;;) {
      if (stopped) return 'stopped'
      const number = nextNumber()
      const holders = heads.having(number, nowMs())
      const received = ranges.take(number)
      download.assign(holders)
      if (received !== undefined) {
        if ((await importOne(received)) === 'early') return 'early'
        await pause()
        continue
      }
      if ((heads.highest(nowMs()) ?? 0n) < number) return 'level'
      if (ranges.loading === 0) return 'nobody'
      await signal.wait(CHECK_MS)
      download.check(holders)
    }
  }

  const ended = async (): Promise<CatchUpEnd> => {
    try {
      return await run()
    } finally {
      await download.stop()
      await chain.store.settle()
    }
  }

  return {
    ended: ended(),
    wake: signal.wake,
    stop: () => {
      stopped = true
      signal.wake()
    },
  }
}
