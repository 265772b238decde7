import type { SimulatedGenesis } from './chain/genesis.ts'
import type { Checker } from './checker/checker.ts'
import type { Network } from './link/network.ts'
import type { Node } from './node/node.ts'
import type { Random } from './random.ts'
import type { Scheduler } from './scheduler.ts'
import type { Settings } from './settings.ts'
import type { Trace } from './trace.ts'

/** What all parts of one simulation share. */
export type World = {
  readonly settings: Settings
  readonly scheduler: Scheduler
  readonly random: Random
  readonly network: Network
  readonly genesis: SimulatedGenesis
  readonly checker: Checker
  readonly trace: Trace
  readonly nodes: () => readonly Node[]
  /** Counts a fault that was injected. */
  readonly count: (what: string) => void
}
