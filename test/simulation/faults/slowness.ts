import { HEALTHY } from '../node/conditions.ts'
import type { World } from '../world.ts'
import { repeat } from './repeat.ts'

/** Disks and processors that take their time. */
export const startSlowness = (world: World): void => {
  const random = world.random.fork('slowness')
  const range = (): readonly [number, number] => [0, random.pick([5, 100, 600, 3_000])]
  repeat(
    world,
    () => random.between(100, 6_000),
    () => {
      world.count('machines slow')
      const node = random.pick(world.nodes())
      if (random.chance(0.3)) return node.setConditions(HEALTHY)
      const syncMs = range()
      node.setConditions({
        ...node.conditions(),
        syncMs,
        blockSyncMs: syncMs,
        buildMs: range(),
        verifyMs: range(),
      })
    },
  )
}
