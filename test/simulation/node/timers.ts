import type { Timer } from '../../../core/qbft/input.ts'
import type { Scheduler } from '../scheduler.ts'
import type { Clock } from './clock.ts'

export type Timers = {
  start(timer: Timer, atMs: number): void
  cancel(kind: Timer['kind']): void
  stop(): void
}

/** One of each kind; how long it takes is settled by the clock when it starts. */
export const createTimers = (scheduler: Scheduler, clock: Clock, fire: (timer: Timer) => void): Timers => {
  const running = new Map<Timer['kind'], Timer>()
  return {
    start: (timer, atMs) => {
      running.set(timer.kind, timer)
      scheduler.after(atMs - clock.nowMs(), () => {
        if (running.get(timer.kind) !== timer) return
        running.delete(timer.kind)
        fire(timer)
      })
    },
    cancel: kind => void running.delete(kind),
    stop: () => running.clear(),
  }
}
