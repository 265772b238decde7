import { setTimeout as delay } from 'node:timers/promises'

/** Old history is removed, or fetched again, in a fifth of the time: blocks and requests come first. */
const REST_PER_WORK = 4

/** Work before a rest, in milliseconds: a timer is no shorter than one. */
const WORK_MS = 2

/** Longest rest, in milliseconds: a slow disk is not waited for longer. */
const REST_MS_MAX = 200

/** Called between the steps of background work; resolves after a rest in proportion to the time since the last one. */
export const createRest = (nowMs: () => number = () => performance.now()): (() => Promise<void>) => {
  let begunMs = nowMs()
  return async () => {
    const workedMs = nowMs() - begunMs
    if (workedMs < WORK_MS) return
    await delay(Math.min(REST_PER_WORK * workedMs, REST_MS_MAX))
    begunMs = nowMs()
  }
}
