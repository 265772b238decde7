import type { Block } from '../../../core/block/block.ts'
import type { PeerHead } from './peerHeads.ts'

/** A block as it arrived and is not imported yet. */
export type Received = {
  readonly block: Block
  /** Length of its RLP. */
  readonly bytes: number
  /** Who sent it. */
  readonly from: PeerHead
}

/** Blocks of consecutive numbers: those that arrived from the start on, and those that are still to come. */
export type Range = {
  /** Number of the first one that is not imported. */
  from: bigint
  /** Behind the last one. */
  to: bigint
  readonly blocks: Received[]
  /** While somebody is asked for what is missing. */
  loading: boolean
}

/** What is being caught up with, divided into ranges without gaps between them. */
export type Ranges = {
  /** The next range to be asked for of somebody who has blocks up to `claimed`, at most `count` of them; undefined when there is none. */
  open(claimed: bigint, count: number): Range | undefined
  /** Nobody is asked any longer; what did not arrive is to be asked for again. */
  close(range: Range): void
  add(range: Range, received: Received): void
  /** The block of that number, where it has arrived; takes it out. Everything before it is forgotten. */
  take(number: bigint): Received | undefined
  /** Up to `count` that have arrived and follow without a gap. */
  ahead(count: number): readonly Received[]
  /** Forgets what this one sent, to be asked for again. */
  discard(key: string): void
  /** Of what arrived and waits. */
  readonly bytes: number
  /** The range that holds the next block to import. */
  readonly first: Range | undefined
  /** Ranges somebody is asked for. */
  readonly loading: number
}

const missing = (range: Range): bigint => range.to - range.from - BigInt(range.blocks.length)

export const createRanges = (from: bigint): Ranges => {
  const ranges: Range[] = []
  let planned = from
  let bytes = 0

  const forget = (blocks: readonly Received[]): void => {
    for (const received of blocks) bytes -= received.bytes
  }

  /** Keeps what arrived of a range as one of its own. */
  const split = (range: Range, at: bigint): void => {
    if (at <= range.from || at >= range.to) return
    const rest: Range = { from: at, to: range.to, blocks: [], loading: false }
    range.to = at
    ranges.splice(ranges.indexOf(range) + 1, 0, rest)
  }

  /** Those before the number are on the chain, whoever brought them. */
  const dropBefore = (number: bigint): void => {
    for (let range = ranges[0]; range !== undefined && range.from < number; range = ranges[0]) {
      const passed = number < range.to ? number - range.from : range.to - range.from
      forget(range.blocks.splice(0, Number(passed)))
      range.from += passed
      if (range.from < range.to) return
      ranges.shift()
    }
    if (planned < number) planned = number
  }

  return {
    open: (claimed, count) => {
      let range = ranges.find(one => !one.loading && missing(one) > 0n)
      if (range === undefined) {
        if (planned > claimed) return undefined
        range = { from: planned, to: planned + BigInt(count), blocks: [], loading: false }
        ranges.push(range)
        planned = range.to
      }
      if (range.from > claimed) return undefined
      split(range, claimed + 1n)
      split(range, range.from + BigInt(count))
      range.loading = true
      return range
    },
    close: range => {
      range.loading = false
      const at = range.from + BigInt(range.blocks.length)
      split(range, at)
    },
    add: (range, received) => {
      range.blocks.push(received)
      bytes += received.bytes
    },
    take: number => {
      dropBefore(number)
      const range = ranges[0]
      if (range === undefined || range.from !== number) return undefined
      const received = range.blocks.shift()
      if (received === undefined) return undefined
      bytes -= received.bytes
      range.from++
      if (range.from === range.to) ranges.shift()
      return received
    },
    ahead: count => {
      const found: Received[] = []
      for (const range of ranges) {
        found.push(...range.blocks.slice(0, count - found.length))
        if (found.length >= count || missing(range) > 0n) break
      }
      return found
    },
    discard: key => {
      for (const { blocks } of ranges) {
        if (!blocks.some(({ from }) => from.key === key)) continue
        forget(blocks)
        blocks.splice(0)
      }
    },
    get bytes() {
      return bytes
    },
    get first() {
      return ranges[0]
    },
    get loading() {
      return ranges.filter(({ loading }) => loading).length
    },
  }
}
