import type { Node } from '../node/node.ts'
import type { World } from '../world.ts'
import { repeat } from './repeat.ts'

/** So many effects after the moment: within what one message, or one block, leads to. */
const EFFECTS_MAX = 12

/**
 * Machines stop, at once or before one of their next effects, and come back with what their disks kept: one, several, or
 * all of them.
 */
export const startCrashes = (world: World): void => {
  const { scheduler, settings } = world
  const random = world.random.fork('crashes')

  const stop = (node: Node): void => {
    if (random.chance(0.3)) node.crash()
    else node.crashAfter(random.below(EFFECTS_MAX))
    const downMs = random.pick([0, 50, 500, 3_000, 15_000]) + random.below(200)
    const again = (): void => {
      if (!node.isUp()) node.boot()
      // Not down yet: its machine has had little to do.
      else if (scheduler.nowMs() < settings.faultsMs) scheduler.after(500, again)
    }
    scheduler.after(downMs, again)
  }

  repeat(
    world,
    () => random.pick([200, 1_000, 4_000, 10_000]) + random.below(1_000),
    () => {
      const up = random.shuffled(world.nodes().filter(node => node.isUp()))
      const many = random.chance(0.15) ? up.length : random.chance(0.3) ? random.between(1, 3) : 1
      for (const node of up.slice(0, many)) stop(node)
    },
  )
}
