import { EPOCH_MS } from '../chain/genesis.ts'
import type { Scheduler } from '../scheduler.ts'

/** A machine's clock, which may be wrong; its timers count right. Milliseconds since 1970. */
export type Clock = { nowMs(): number; offsetMs(): number; set(offsetMs: number): void }

export const createClock = (scheduler: Scheduler, offsetMs: number): Clock => {
  let offset = offsetMs
  return {
    nowMs: () => EPOCH_MS + scheduler.nowMs() + offset,
    offsetMs: () => offset,
    set: next => {
      offset = next
    },
  }
}
