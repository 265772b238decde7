import type { World } from '../world.ts'
import { repeat } from './repeat.ts'

/**
 * Disks take their time over blocks, and then all machines stop at once: what consensus committed last may be on none of
 * them, and must come back from what they signed.
 */
export const startPowerCuts = (world: World): void => {
  const { scheduler, settings } = world
  const random = world.random.fork('power cuts')

  const cut = (): void => {
    // Faults that begin later would fall into the time in which everything has to work.
    if (scheduler.nowMs() >= settings.stormMs) return
    world.count('power cuts')
    const headSaved = random.pick([0, 0, 0.5])
    for (const node of world.nodes()) {
      node.crash(headSaved)
      scheduler.after(random.pick([0, 50, 500, 3_000]) + random.below(200), () => node.boot())
    }
  }

  repeat(
    world,
    () => random.between(1_000, 10_000),
    () => {
      const slowest = random.pick([5, 100, 1_000, 3_000])
      for (const node of world.nodes())
        node.setConditions({ ...node.conditions(), blockSyncMs: [slowest / 2, slowest] })
      scheduler.after(random.below(4_000), cut)
    },
  )
}
