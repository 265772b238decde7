import { roundTimeoutMs } from '../../../core/qbft/rounds.ts'
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

const LOOK_MS = 20

/**
 * What the wait may take beyond the bound because timeouts grew while nothing came of the rounds: the cap lets them, and
 * the round under way as well as one for each attacker takes as long. Nothing where the cap is made for the bound.
 */
const grownMs = ({ settings, nodes }: World): number => {
  const doublings = nodes()
    .filter(({ isHonest }) => isHonest)
    .map(node => node.state()?.height?.doublings ?? 0)
  const rounds = settings.attacks.length + 1
  const perRoundMs = roundTimeoutMs(settings, Math.max(...doublings) + settings.attacks.length)
  const neededMs = rounds * (perRoundMs - settings.requestTimeoutMs)
  return settings.isBounding ? 0 : neededMs
}

export const watchProgress = (world: World): Progress => {
  const { scheduler, settings, checker, nodes } = world
  let over = false
  let recoveryMs = 0
  let endMs = 0
  let target = 0n

  const expect = (last: bigint, sinceMs: number, boundMs: number): void => {
    const height = checker.agreed.height()
    const nowMs = scheduler.nowMs()
    if (height > last) {
      if (recoveryMs === 0) recoveryMs = nowMs - endMs
      const nextMs = boundMsOf(settings.requestTimeoutMs) + grownMs(world)
      return height >= target ? expectAll(height, nowMs, nextMs) : expect(height, nowMs, nextMs)
    }
    if (nowMs - sinceMs > boundMs)
      return checker.violated(`no block after ${last} for ${boundMs} ms in which everything worked`)
    scheduler.after(LOOK_MS, () => expect(last, sinceMs, boundMs))
  }

  const expectAll = (height: bigint, sinceMs: number, boundMs: number): void => {
    const late = nodes().filter(node => node.isHonest && node.disk.chain.head().header.number < height)
    if (late.length === 0) {
      over = true
      return
    }
    if (scheduler.nowMs() - sinceMs > boundMs)
      return checker.violated(`${late.map(({ name }) => name).join(', ')} did not come to block ${height}`)
    scheduler.after(LOOK_MS, () => expectAll(height, sinceMs, boundMs))
  }

  scheduler.after(settings.faultsMs, () => {
    endMs = scheduler.nowMs()
    const height = checker.agreed.height()
    target = height + 1n + FURTHER_BLOCKS
    expect(height, endMs, boundMsOf(settings.requestTimeoutMs) + grownMs(world))
  })
  return { isOver: () => over, recoveryMs: () => recoveryMs }
}
