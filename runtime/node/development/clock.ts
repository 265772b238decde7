import { maxBigint } from '../../../core/bytes/integer.ts'
import type { DevelopmentClock } from '../../../handlers/rpc/development/development.ts'

/** The time of a development chain, in seconds; what snapshots keep. */
export type ClockState = {
  /** Added to the time of this machine. */
  readonly offset: bigint
  /** Sum of the additions that users asked for. */
  readonly added: bigint
  /** Timestamp of the next block alone. */
  readonly next: bigint | undefined
  /** Time between two blocks, whatever the clock says. */
  readonly interval: bigint | undefined
}

export const REAL_TIME: ClockState = { offset: 0n, added: 0n, next: undefined, interval: undefined }

/** The timestamp of the block after `parent`. @param nowSeconds the time of this machine */
export const timestampAfter = (clock: ClockState, parent: bigint, nowSeconds: bigint): bigint => {
  if (clock.next !== undefined) return maxBigint(clock.next, parent)
  if (clock.interval !== undefined) return parent + clock.interval
  return maxBigint(parent, nowSeconds + clock.offset)
}

/** The clock after a block: a timestamp that was set for it moves all later time. */
export const afterBlock = (clock: ClockState, timestamp: bigint, nowSeconds: bigint): ClockState =>
  clock.next === undefined ? clock : { ...clock, next: undefined, offset: timestamp - nowSeconds }

export type Clock = DevelopmentClock & {
  state(): ClockState
  restore(state: ClockState): void
}

/** @param headTimestamp the timestamp of the head */
export const createClock = (nowMs: () => number, headTimestamp: () => bigint): Clock => {
  let state = REAL_TIME
  const nowSeconds = (): bigint => BigInt(Math.floor(nowMs() / 1000))
  return {
    state: () => state,
    restore: earlier => {
      state = earlier
    },
    increase: seconds => {
      state = { ...state, offset: state.offset + seconds, added: state.added + seconds }
      return state.added
    },
    setNext: timestamp => {
      if (timestamp < headTimestamp()) return false
      state = { ...state, next: timestamp }
      return true
    },
    setTime: timestamp => {
      state = { ...state, offset: timestamp - nowSeconds() }
    },
    setInterval: interval => {
      state = { ...state, interval }
    },
  }
}
