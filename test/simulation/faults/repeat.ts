import type { World } from '../world.ts'

/** Does something again and again, after a wait that it tells each time, until the faults end. */
export const repeat = ({ scheduler, settings }: World, waitMs: () => number, act: () => void): void => {
  const next = (): void => {
    const wait = waitMs()
    if (scheduler.nowMs() + wait >= settings.stormMs) return
    scheduler.after(wait, () => {
      act()
      next()
    })
  }
  next()
}
