import { compareBytes } from '../../core/bytes/bytes.ts'
import { toBareHex } from '../../core/bytes/hex.ts'
import { attackerOf } from './byzantine/attacker.ts'
import { ATTACKS } from './byzantine/attacks.ts'
import { simulatedGenesis } from './chain/genesis.ts'
import { faultsOf } from './checker/arithmetic.ts'
import { createChecker } from './checker/checker.ts'
import { createNetwork } from './link/network.ts'
import { CALM } from './link/weather.ts'
import { watchProgress } from './checker/progress.ts'
import { startFaults } from './faults/faults.ts'
import { type Identity, identityOf } from './node/identity.ts'
import { createNode, type Node } from './node/node.ts'
import type { Outlet } from './node/outlet.ts'
import { createRandom } from './random.ts'
import { createScheduler } from './scheduler.ts'
import type { AttackName, Settings } from './settings.ts'
import { createTrace } from './trace.ts'
import type { World } from './world.ts'

export type Result = {
  readonly seed: number
  /** Undefined when everything held. */
  readonly violation: string | undefined
  readonly steps: number
  readonly heights: number
  readonly virtualMs: number
  readonly faults: ReadonlyMap<string, number>
  /** Of everything that happened. */
  readonly hash: string
  /** From the end of the faults to the next block. */
  readonly recoveryMs: number
}

/** More events than any seed has: a simulation that goes round in a circle ends there. */
const STEPS_MAX = 5_000_000

/** Runs one seed to its end or to its first violation. The crypto engine must be set. */
export const run = (settings: Settings, tell?: (line: string) => void): Result => {
  const random = createRandom(settings.seed)
  const scheduler = createScheduler()
  const trace = createTrace(tell)
  const faults = new Map<string, number>()
  const count = (what: string): void => void faults.set(what, (faults.get(what) ?? 0) + 1)
  const identities = Array.from({ length: settings.validators + settings.spares }, (_, index) =>
    identityOf(index),
  )
  const attacked = settings.validators - settings.attacks.length
  const byzantine = new Set(
    identities.slice(attacked, settings.validators).map(({ address }) => toBareHex(address)),
  )
  const genesis = simulatedGenesis(
    settings,
    identities
      .slice(0, settings.validators)
      .map(({ address }) => address)
      .toSorted(compareBytes),
  )
  // The last ones of the genesis block, as attackers are.
  const forgetful =
    settings.forgetting === undefined ? 0 : random.fork('forgetful').between(1, faultsOf(settings.validators))
  const isForgetfulKey = (key: number): boolean =>
    key < settings.validators && key >= settings.validators - forgetful
  const forgotten = new Set(
    identities.filter((_, key) => isForgetfulKey(key)).map(({ address }) => toBareHex(address)),
  )
  const nodes: Node[] = []
  const world: World = {
    settings,
    scheduler,
    random,
    trace,
    count,
    genesis,
    network: createNetwork(scheduler, random.fork('network'), trace, CALM, count),
    checker: createChecker(
      genesis,
      address => !byzantine.has(toBareHex(address)),
      address => forgotten.has(toBareHex(address)),
    ),
    nodes: () => nodes,
  }
  const environment = (index: number) => ({
    dialect: settings.mixedDialects && index % 2 === 1 ? ('blockAccessList' as const) : ('legacy' as const),
    requestTimeoutMs: settings.requestTimeoutMs,
    requestTimeoutMaxMs: settings.requestTimeoutMaxMs,
    earlyRoundChange: true,
    // As GoQuorum: both forms of a proposed block are understood by all.
    proposesRoundZero: settings.mixedDialects && index % 3 === 0,
    duplicateMessagesMax: settings.duplicateMessagesMax,
    futureMessagesMax: settings.futureMessagesMax,
    futureDistanceMax: 10,
  })
  const add = (identity: Identity, key: number, attack: AttackName | undefined): void => {
    const index = nodes.length
    const name = attack === undefined ? `n${index}` : `${attack.slice(0, 2)}${index}`
    const skewMs = random.between(-settings.skewMs, settings.skewMs)
    const outlet =
      attack === undefined
        ? undefined
        : (node: Node, plain: Outlet) => ATTACKS[attack](attackerOf(world, node, plain))
    const isForgetful = isForgetfulKey(key)
    nodes.push(
      createNode(world, {
        index,
        name,
        identity,
        environment: environment(key),
        skewMs,
        isForgetful,
        outlet,
      }),
    )
  }
  identities.forEach((identity, key) => add(identity, key, settings.attacks[key - attacked]))
  // The second copies of keys come last, so that a node's number is that of its key.
  identities.forEach((identity, key) => {
    if (settings.attacks[key - attacked] === 'twins') add(identity, key, 'twins')
  })
  for (const node of nodes) scheduler.after(random.between(0, 500), () => node.boot())
  startFaults(world)
  const progress = watchProgress(world)
  let steps = 0
  while (!progress.isOver() && world.checker.violation() === undefined && steps < STEPS_MAX) {
    if (!scheduler.step()) break
    steps++
  }
  const violation =
    world.checker.violation() ?? (progress.isOver() ? undefined : `nothing more happens after ${steps} steps`)
  return {
    seed: settings.seed,
    violation,
    steps,
    heights: Number(world.checker.agreed.height()),
    virtualMs: scheduler.nowMs(),
    faults,
    hash: trace.hash(),
    recoveryMs: progress.recoveryMs(),
  }
}
