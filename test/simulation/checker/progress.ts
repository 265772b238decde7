import { boundMsOf } from '../settings.ts'
import type { World } from '../world.ts'

/** Watches that the chain goes on once the faults have ended. */
export type Progress = {
  isOver(): boolean
  /** From the end of the faults to the first block after it. */
  recoveryMs(): number
}

/** Blocks that must follow the first one. */
const FURTHER_BLOCKS = 3n

const CHECK_INTERVAL_MS = 20

export const watchProgress = (world: World): Progress => {
  const { scheduler, settings, checker, nodes } = world
  let over = false
  let recoveryMs = 0
  let endMs = 0
  let target = 0n
  const boundMs = boundMsOf(settings.requestTimeoutMs)

  const expect = (last: bigint, sinceMs: number): void => {
    const height = checker.agreed.height()
    const nowMs = scheduler.nowMs()
    if (height > last) {
      if (recoveryMs === 0) recoveryMs = nowMs - endMs
      return height >= target ? expectAll(height, nowMs) : expect(height, nowMs)
    }
    if (nowMs - sinceMs > boundMs)
      return checker.violated(`no block after ${last} for ${boundMs} ms in which everything worked`)
    scheduler.after(CHECK_INTERVAL_MS, () => expect(last, sinceMs))
  }

  const expectAll = (height: bigint, sinceMs: number): void => {
    const late = nodes().filter(node => node.isHonest && node.disk.chain.head().header.number < height)
    if (late.length === 0) {
      over = true
      return
    }
    if (scheduler.nowMs() - sinceMs > boundMs)
      return checker.violated(`${late.map(({ name }) => name).join(', ')} did not come to block ${height}`)
    scheduler.after(CHECK_INTERVAL_MS, () => expectAll(height, sinceMs))
  }

  scheduler.after(settings.faultsMs, () => {
    endMs = scheduler.nowMs()
    const height = checker.agreed.height()
    target = height + 1n + FURTHER_BLOCKS
    expect(height, endMs)
  })
  return { isOver: () => over, recoveryMs: () => recoveryMs }
}
