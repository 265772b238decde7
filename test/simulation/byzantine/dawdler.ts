import type { Attack } from './attacker.ts'

/** Does all of its duty, late: about when the others give up. */
export const dawdler: Attack = ({ plain, world, node, random }) => ({
  ...plain,
  send: effect => {
    const delayMs = random.below(1.5 * world.settings.requestTimeoutMs)
    world.scheduler.after(delayMs, () => {
      if (node.isUp()) plain.send(effect)
    })
  },
})
