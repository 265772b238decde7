import type { World } from '../world.ts'

/** Operators vote a validator out, a spare in, and perhaps back: one change after the other. */
export const startVotes = (world: World): void => {
  const { scheduler, settings } = world
  const random = world.random.fork('votes')
  const nodes = world.nodes()
  const spare = nodes[settings.validators + random.below(settings.spares)]
  const member = nodes[random.below(settings.validators)]
  if (spare === undefined || member === undefined) return
  const add = { recipient: spare.address, type: 'add' } as const
  const drop = { recipient: member.address, type: 'drop' } as const
  const order = random.chance(0.5) ? [[add], [drop]] : [[drop], [add]]
  order.forEach((votes, index) => {
    scheduler.after((index + random.below(1_000) / 1_000) * (settings.stormMs / 2), () => {
      world.count('votes')
      // Not everybody hears of it, but enough do.
      for (const node of nodes) if (random.chance(0.9)) node.setVotes(index === 0 ? votes : order.flat())
    })
  })
}
