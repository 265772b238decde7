import type { World } from '../world.ts'
import { repeat } from './repeat.ts'

type Link = readonly [from: number, to: number]

const between = (a: readonly number[], b: readonly number[]): readonly Link[] =>
  a.flatMap(from => b.map(to => [from, to] as const))

/** The network falls apart: in two, in three, one node alone, one link, or in one direction only. */
export const startPartitions = (world: World): void => {
  const { network, scheduler, count } = world
  const random = world.random.fork('partitions')

  const cut = (): readonly Link[] => {
    const all = random.shuffled(world.nodes().map(({ index }) => index))
    const at = random.between(1, all.length - 1)
    const [a, b] = [all.slice(0, at), all.slice(at)]
    const there = between(a, b)
    const back = between(b, a)
    switch (random.below(5)) {
      case 0:
        return there
      case 1:
        return [...between(all.slice(0, 1), all.slice(1)), ...between(all.slice(1), all.slice(0, 1))]
      case 2:
        return [
          there[0] as Link,
          back.find(([from, to]) => from === there[0]?.[1] && to === there[0][0]) as Link,
        ]
      case 3: {
        const [first, second] = [b.slice(0, b.length >> 1), b.slice(b.length >> 1)]
        return [...there, ...back, ...between(first, second), ...between(second, first)]
      }
      default:
        return [...there, ...back]
    }
  }

  repeat(
    world,
    () => random.between(100, 8_000),
    () => {
      count('partitions')
      const links = cut()
      for (const [from, to] of links) network.block(from, to)
      scheduler.after(random.pick([200, 1_000, 5_000, 15_000]) * (1 + random.below(2)), () => {
        for (const [from, to] of links) network.unblock(from, to)
      })
    },
  )
}
