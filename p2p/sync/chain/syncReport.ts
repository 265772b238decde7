import type { Block } from '../../../core/block/block.ts'
import { formatDuration, formatRate } from '../../../core/text/rates.ts'
import type { Log } from '../../log.ts'

/** Draws the progress of a long operation, on a terminal as a bar. */
export type Progress = {
  /** `done` of `total` blocks, and what to show beside the bar. */
  update(state: { readonly done: number; readonly total: number; readonly text: string }): void
  /** Removes the bar. */
  end(): void
}

/** Lines in a log should tell that it goes on, not fill it. */
const LINE_MS = 5_000

/** Catching up with fewer blocks is everyday work, told to those who look for details. */
const TOLD_BLOCKS_MIN = 16n

export type SyncReport = {
  /** A block was imported; `highest` is the number of the last one that peers claim. */
  imported(block: Block, highest: bigint): void
  end(how: string): void
}

/** Tells how catching up goes on: a line every few seconds, and a bar where there is a terminal to draw it on. */
export const startSyncReport = (
  log: Log,
  startingBlock: bigint,
  highestBlock: bigint,
  peers: number,
  nowMs: () => number,
  showProgress: (() => Progress) | undefined,
): SyncReport => {
  const startedMs = nowMs()
  const isLong = highestBlock - startingBlock >= TOLD_BLOCKS_MIN
  const bar = isLong ? showProgress?.() : undefined
  let told = { atMs: startedMs, blocks: 0, transactions: 0 }
  let blocks = 0
  let transactions = 0
  log[isLong ? 'info' : 'debug']('Catching up: block {number} of {highest}, {peers} peers', {
    number: startingBlock,
    highest: highestBlock,
    peers,
  })
  return {
    imported: ({ header, transactions: { length } }, highest) => {
      blocks++
      transactions += length
      const atMs = nowMs()
      const rate = formatRate(blocks, atMs - startedMs)
      bar?.update({
        done: blocks,
        total: blocks + Number(highest - header.number),
        text: `block ${header.number} of ${highest}, ${rate} blocks/s`,
      })
      const sinceMs = atMs - told.atMs
      if (sinceMs < LINE_MS) return
      const lately = blocks - told.blocks
      const leftMs = lately === 0 ? 0 : (Number(highest - header.number) * sinceMs) / lately
      log.info(
        'Catching up: block {number} of {highest} ({percent}%), {blockRate} blocks/s, {transactionRate} tx/s, {left} left',
        {
          number: header.number,
          highest,
          percent: highest === 0n ? 100 : Number((header.number * 100n) / highest),
          blockRate: formatRate(lately, sinceMs),
          transactionRate: formatRate(transactions - told.transactions, sinceMs),
          left: formatDuration(leftMs),
        },
      )
      told = { atMs, blocks, transactions }
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
