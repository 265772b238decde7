import type { World } from '../world.ts'
import { repeat } from './repeat.ts'

/** Signers out of reach, blocks that cannot be built, imports that fail. */
export const startFailures = (world: World): void => {
  const random = world.random.fork('failures')
  repeat(
    world,
    () => random.between(100, 10_000),
    () => {
      const share = random.pick([0, 0.05, 0.5])
      for (const node of world.nodes())
        node.setConditions({
          ...node.conditions(),
          signFails: random.chance(0.5) ? share : 0,
          buildFails: random.chance(0.5) ? share : 0,
          importFails: random.chance(0.5) ? share / 5 : 0,
        })
    },
  )
}
