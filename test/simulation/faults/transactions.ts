import type { World } from '../world.ts'

/** How long it takes until all nodes have heard of a transaction. */
const SPREAD_MS_MAX = 100

/**
 * Users send transactions where the network waits for some. While there are faults not every node hears of each; then
 * all do, and there is always one.
 */
export const startTransactions = (world: World): void => {
  const { scheduler, settings, nodes } = world
  if (settings.emptyBlockPeriodSeconds === 0) return
  const random = world.random.fork('transactions')
  let sent = 0n

  const send = (): void => {
    const number = sent++
    const isFaulty = scheduler.nowMs() < settings.faultsMs
    for (const node of nodes()) {
      if (isFaulty && random.chance(0.3)) continue
      scheduler.after(random.below(SPREAD_MS_MAX), () => {
        if (node.isUp()) node.pool.add(number)
      })
    }
    scheduler.after(isFaulty ? random.between(100, 10_000) : random.between(100, 500), send)
  }
  scheduler.after(random.below(5_000), send)
  scheduler.after(settings.faultsMs, send)
}
