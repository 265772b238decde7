import type { Block } from '../../../core/block/block.ts'
import { formatDuration, formatRate } from '../../../core/text/rates.ts'
import type { Log } from '../../log.ts'

/** Draws the progress of a long operation, on a terminal as a bar. */
export type Progress = {
  /** `done` of `total` blocks, and the text beside the bar. */
  update(state: { readonly done: number; readonly total: number; readonly text: string }): void
  /** Removes the bar. */
  end(): void
}

/** Interval between log lines. */
const LINE_INTERVAL_MS = 5_000

/** A sync of fewer blocks is everyday work: it is logged at the debug level. */
const LOGGED_BLOCKS_MIN = 16n

export type SyncReport = {
  /** To be called after each imported block; `highest` is the highest claim of the peers. */
  imported(block: Block, highest: bigint): void
  end(how: string): void
}

type SyncReportOptions = {
  readonly log: Log
  readonly startingBlock: bigint
  readonly highestBlock: bigint
  readonly peers: number
  readonly nowMs: () => number
  readonly showProgress: (() => Progress) | undefined
}

/** Reports the progress of a sync: a log line every few seconds, and a bar on a terminal. */
export const startSyncReport = (options: SyncReportOptions): SyncReport => {
  const { log, startingBlock, highestBlock, peers, nowMs, showProgress } = options
  const startedMs = nowMs()
  const isLong = highestBlock - startingBlock >= LOGGED_BLOCKS_MIN
  const bar = isLong ? showProgress?.() : undefined
  let logged = { atMs: startedMs, blocks: 0, transactions: 0 }
  let blocks = 0
  let transactions = 0
  log[isLong ? 'info' : 'debug']('Syncing: block {number} of {highest}, from {peers}', {
    number: startingBlock,
    highest: highestBlock,
    peers: peers === 1 ? '1 peer' : `${peers} peers`,
  })
  return {
    imported: ({ header, transactions: { length } }, highest) => {
      blocks++
      transactions += length
      const atMs = nowMs()
      if (bar !== undefined) {
        const rate = formatRate(blocks, atMs - startedMs)
        bar.update({
          done: blocks,
          total: blocks + Number(highest - header.number),
          text: `block ${header.number} of ${highest}, ${rate} blocks/s`,
        })
      }
      const sinceMs = atMs - logged.atMs
      if (sinceMs < LINE_INTERVAL_MS) return
      const newBlocks = blocks - logged.blocks
      const leftMs = newBlocks === 0 ? 0 : (Number(highest - header.number) * sinceMs) / newBlocks
      log.info(
        'Syncing: block {number} of {highest} ({percent}%), {blockRate} blocks/s, {transactionRate} tx/s, {left} left',
        {
          number: header.number,
          highest,
          percent: highest === 0n ? 100 : Number((header.number * 100n) / highest),
          blockRate: formatRate(newBlocks, sinceMs),
          transactionRate: formatRate(transactions - logged.transactions, sinceMs),
          left: formatDuration(leftMs),
        },
      )
      logged = { atMs, blocks, transactions }
    },
    end: how => {
      bar?.end()
      const ms = nowMs() - startedMs
      log[isLong ? 'info' : 'debug'](
        '{how}: {blocks} blocks with {transactions} transactions in {seconds} s ({blockRate} blocks/s, {transactionRate} tx/s)',
        {
          how,
          blocks,
          transactions,
          seconds: (ms / 1000).toFixed(1),
          blockRate: formatRate(blocks, ms),
          transactionRate: formatRate(transactions, ms),
        },
      )
    },
  }
}
