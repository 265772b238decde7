import { maxBigint } from '../../../core/bytes/integer.ts'
import type { DevelopmentClock } from '../../../handlers/rpc/development/development.ts'

/** The time of a development chain, in seconds. */
type ClockState = {
  /** Added to the time of this machine. */
  readonly offset: bigint
  /** The time that was set last, by a user or a block. */
  readonly last: bigint
  /** Timestamp of the next block alone. */
  readonly next: bigint | undefined
  /** Time between two blocks, whatever the clock says. */
  readonly interval: bigint | undefined
}

/** The timestamp of the block after `parent`, as in anvil. @param nowSeconds the time of this machine */
const timestampAfter = (clock: ClockState, parent: bigint, nowSeconds: bigint): bigint => {
  const last = maxBigint(clock.last, parent)
  if (clock.next !== undefined) return maxBigint(clock.next, last)
  if (clock.interval !== undefined) return last + clock.interval
  const time = nowSeconds + clock.offset
  return time < last ? last + 1n : time
}

/** The clock that has this time now; a fixed interval stays. */
const setTo = (clock: ClockState, timestamp: bigint, nowSeconds: bigint): ClockState => ({
  ...clock,
  last: timestamp,
  next: undefined,
  offset: timestamp - nowSeconds,
})

/** The clock after a block: a timestamp that was set for it moves all later time. */
const afterBlock = (clock: ClockState, timestamp: bigint, nowSeconds: bigint): ClockState =>
  clock.next === undefined ? { ...clock, last: timestamp } : setTo(clock, timestamp, nowSeconds)

export type Clock = DevelopmentClock & {
  /** The timestamp of the block after the head. */
  nextTimestamp(): bigint
  /** A block with this timestamp was made. */
  blockMade(timestamp: bigint): void
  /** Time goes on from the head, an earlier block than before. */
  goOnFromHead(): void
  /** Time is that of this machine, or goes on from a head that is ahead of it. */
  begin(): void
}

/** @param headTimestamp the timestamp of the head */
export const createClock = (nowMs: () => number, headTimestamp: () => bigint): Clock => {
  const nowSeconds = (): bigint => BigInt(Math.floor(nowMs() / 1000))
  const begun = (interval: bigint | undefined): ClockState => ({
    offset: maxBigint(0n, headTimestamp() - nowSeconds()),
    last: headTimestamp(),
    next: undefined,
    interval,
  })
  let state = begun(undefined)
  const nextTimestamp = (): bigint => timestampAfter(state, headTimestamp(), nowSeconds())
  return {
    nextTimestamp,
    blockMade: timestamp => {
      state = afterBlock(state, timestamp, nowSeconds())
    },
    goOnFromHead: () => {
      state = setTo(state, headTimestamp(), nowSeconds())
    },
    begin: () => {
      state = begun(state.interval)
    },
    increase: seconds => {
      state = { ...state, offset: state.offset + seconds }
      return state.offset
    },
    setNext: timestamp => {
      if (timestamp < maxBigint(state.last, headTimestamp())) return false
      state = { ...state, next: timestamp }
      return true
    },
    setTime: timestamp => {
      const before = nextTimestamp()
      state = setTo(state, timestamp, nowSeconds())
      return maxBigint(0n, timestamp - before)
    },
    setInterval: interval => {
      const hadInterval = state.interval !== undefined
      state = { ...state, interval }
      return hadInterval
    },
  }
}
