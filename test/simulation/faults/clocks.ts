import type { World } from '../world.ts'
import { repeat } from './repeat.ts'

/** Clocks jump forth and back by up to so much. */
const JUMP_MS_MAX = 3_000

export const startClocks = (world: World): void => {
  const random = world.random.fork('clocks')
  repeat(
    world,
    () => random.between(100, 6_000),
    () => {
      world.count('clock jumps')
      random.pick(world.nodes()).clock.set(random.between(-JUMP_MS_MAX, JUMP_MS_MAX))
    },
  )
}
