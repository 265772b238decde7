import { CALM } from '../link/weather.ts'
import { HEALTHY } from '../node/conditions.ts'
import type { FaultName } from '../settings.ts'
import type { World } from '../world.ts'
import { startClocks } from './clocks.ts'
import { startCrashes } from './crashes.ts'
import { startFailures } from './failures.ts'
import { startForgetting } from './forgetting.ts'
import { startOutages } from './outages.ts'
import { startPartitions } from './partitions.ts'
import { startPowerCuts } from './powerCuts.ts'
import { startSlowness } from './slowness.ts'
import { startTransactions } from './transactions.ts'
import { startVotes } from './votes.ts'
import { startWeather } from './weather.ts'

const STARTS: Readonly<Record<FaultName, (world: World) => void>> = {
  weather: startWeather,
  partitions: startPartitions,
  crashes: startCrashes,
  clocks: startClocks,
  slowness: startSlowness,
  failures: startFailures,
  outages: startOutages,
}

/** Everything works again, but for the attackers. */
const heal = ({ network, nodes, settings, trace, scheduler }: World): void => {
  trace.note(scheduler.nowMs(), '', '! the faults end')
  network.setWeather(CALM)
  network.unblockAll()
  for (const node of nodes()) {
    node.setConditions(HEALTHY)
    node.crashAfter(undefined)
    node.keepDown(false)
    const offset = node.clock.offsetMs()
    if (Math.abs(offset) > settings.skewMs) node.clock.set(Math.sign(offset) * settings.skewMs)
    node.boot()
  }
}

/** Starts the faults of the seed, and ends them when their time is over. What users do goes on. */
export const startFaults = (world: World): void => {
  for (const name of world.settings.faults) STARTS[name](world)
  startForgetting(world)
  if (world.settings.powerCuts) startPowerCuts(world)
  startTransactions(world)
  if (world.settings.votes) startVotes(world)
  world.scheduler.after(world.settings.faultsMs, () => heal(world))
}
