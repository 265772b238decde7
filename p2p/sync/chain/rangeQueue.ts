import type { Block } from '../../../core/block/block.ts'
import type { GivenRecord } from '../../../core/chain/importing/importRecord.ts'
import type { PeerHead } from './peerHeads.ts'

/** A block that arrived and is not imported yet. */
export type ReceivedBlock = {
  readonly block: Block
  /** The block with its results, where the peer sent them. */
  readonly record?: GivenRecord | undefined
  /** Length of what the peer sent. */
  readonly bytes: number
  /** The peer that sent it. */
  readonly from: PeerHead
}

/** Blocks [from, to): the first of them have arrived, the rest is missing. */
export type Range = {
  from: bigint
  to: bigint
  readonly blocks: ReceivedBlock[]
  /** True while the missing blocks are requested from a peer. */
  isLoading: boolean
}

/** The blocks of a download in adjacent ranges, in ascending order. */
export type RangeQueue = {
  readonly ranges: Range[]
  /** End of the last range. */
  end: bigint
  /** Bytes that arrived and are not imported. */
  bytes: number
}

export const createRangeQueue = (from: bigint): RangeQueue => ({ ranges: [], end: from, bytes: 0 })

const missingCount = ({ from, to, blocks }: Range): bigint => to - from - BigInt(blocks.length)

export const loadingCount = ({ ranges }: RangeQueue): number =>
  ranges.filter(({ isLoading }) => isLoading).length

const discardBlocks = (queue: RangeQueue, range: Range, count: number): void => {
  for (const { bytes } of range.blocks.splice(0, count)) queue.bytes -= bytes
}

/** Moves the blocks from `at` on, none of which has arrived, to a range of their own. */
const splitRange = ({ ranges }: RangeQueue, range: Range, at: bigint): void => {
  if (at <= range.from || at >= range.to) return
  const rest: Range = { from: at, to: range.to, blocks: [], isLoading: false }
  range.to = at
  ranges.splice(ranges.indexOf(range) + 1, 0, rest)
}

/** Removes blocks that the chain has, whichever way they came. */
const dropBefore = (queue: RangeQueue, number: bigint): void => {
  const { ranges } = queue
  for (let range = ranges[0]; range !== undefined && range.from < number; range = ranges[0]) {
    const passed = number < range.to ? number - range.from : range.to - range.from
    discardBlocks(queue, range, Number(passed))
    range.from += passed
    if (range.from < range.to) return
    ranges.shift()
  }
  if (queue.end < number) queue.end = number
}

/**
 * Marks the first range with missing blocks as loading and returns it. It is cut to `count` blocks and to those that the peer
 * claims. Undefined if the peer has none of the missing blocks.
 */
export const openRange = (queue: RangeQueue, claimed: bigint, count: number): Range | undefined => {
  let range = queue.ranges.find(one => !one.isLoading && missingCount(one) > 0n)
  if (range === undefined) {
    if (queue.end > claimed) return undefined
    range = { from: queue.end, to: queue.end + BigInt(count), blocks: [], isLoading: false }
    queue.ranges.push(range)
    queue.end = range.to
  }
  if (range.from > claimed) return undefined
  splitRange(queue, range, claimed + 1n)
  splitRange(queue, range, range.from + BigInt(count))
  range.isLoading = true
  return range
}

/** Ends the loading of a range; its missing blocks can be requested again. */
export const closeRange = (queue: RangeQueue, range: Range): void => {
  range.isLoading = false
  splitRange(queue, range, range.from + BigInt(range.blocks.length))
}

/** Appends a block to the arrived ones of its range. */
export const addBlock = (queue: RangeQueue, range: Range, received: ReceivedBlock): void => {
  range.blocks.push(received)
  queue.bytes += received.bytes
}

/** Removes and returns the block with this number; undefined if it has not arrived. Drops all blocks before it. */
export const takeBlock = (queue: RangeQueue, number: bigint): ReceivedBlock | undefined => {
  dropBefore(queue, number)
  const { ranges } = queue
  const range = ranges[0]
  if (range === undefined || range.from !== number) return undefined
  const received = range.blocks.shift()
  if (received === undefined) return undefined
  queue.bytes -= received.bytes
  range.from++
  if (range.from === range.to) ranges.shift()
  return received
}

/** Up to `count` blocks from the start of the queue that arrived without a gap. */
export const nextBlocks = ({ ranges }: RangeQueue, count: number): readonly ReceivedBlock[] => {
  const found: ReceivedBlock[] = []
  for (const range of ranges) {
    found.push(...range.blocks.slice(0, count - found.length))
    if (found.length >= count || missingCount(range) > 0n) break
  }
  return found
}

/** Discards the blocks of all ranges to which this peer contributed; they are requested again. */
export const discardBlocksOf = (queue: RangeQueue, key: string): void => {
  for (const range of queue.ranges)
    if (range.blocks.some(({ from }) => from.key === key)) discardBlocks(queue, range, range.blocks.length)
}
