import type { Timer } from '../../../core/qbft/input.ts'

/** Longest delay of setTimeout (2^31 - 1 ms); longer waits are split. */
const DELAY_MAX_MS = 2_147_483_647

export type Timers = {
  /** Starts or replaces the timer of this kind. If `atMs` has passed it fires in a later tick. */
  start(timer: Timer, atMs: number): void
  cancel(kind: Timer['kind']): void
  /** Due time of the running timer of this kind, milliseconds since 1970. */
  dueMs(kind: Timer['kind']): number | undefined
  stop(): void
}

/** Timers of the state machine. `atMs` in milliseconds since 1970. */
export const createTimers = (fire: (timer: Timer) => void): Timers => {
  const running = new Map<Timer['kind'], ReturnType<typeof setTimeout>>()
  const due = new Map<Timer['kind'], number>()

  const cancel = (kind: Timer['kind']): void => {
    clearTimeout(running.get(kind))
    running.delete(kind)
    due.delete(kind)
  }

  const start = (timer: Timer, atMs: number): void => {
    cancel(timer.kind)
    due.set(timer.kind, atMs)
    const wait = Math.max(atMs - Date.now(), 0)
    const part = Math.min(wait, DELAY_MAX_MS)
    running.set(
      timer.kind,
      setTimeout(() => {
        running.delete(timer.kind)
        due.delete(timer.kind)
        if (part < wait) start(timer, atMs)
        else fire(timer)
      }, part),
    )
  }

  return {
    start,
    cancel,
    dueMs: kind => due.get(kind),
    stop: () => {
      for (const kind of running.keys()) cancel(kind)
    },
  }
}
