import { faultsOf } from '../checker/arithmetic.ts'
import type { World } from '../world.ts'

/** More validators than the others can do without stop early, and come back when the faults end. */
export const startOutages = (world: World): void => {
  const { scheduler, settings, nodes, count } = world
  const random = world.random.fork('outages')
  const validators = nodes().slice(0, settings.validators)
  const down = random.between(faultsOf(validators.length) + 1, validators.length)
  for (const node of random.shuffled(validators).slice(0, down))
    scheduler.after(random.below(settings.stormMs), () => {
      count('outages')
      node.crash()
      node.keepDown(true)
    })
}
