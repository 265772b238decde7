import {
  cpuSecondsSince,
  type Limits,
  memoryMb,
  type Result,
  type Step,
  violationAt,
  type Violation,
} from './explore.ts'
import { stepsOf } from './leaps.ts'
import type { Network, Tuple } from './network.ts'
import { createTable } from './table.ts'

export type Walk = {
  readonly seed: number
  /** Walks grow to this number of steps, and start short again. */
  readonly lengthMax: number
  readonly limits: Limits
  readonly onState?: (tuple: Tuple, index: number) => boolean
}

const FIRST_LENGTH = 8
const LENGTH_STEP = 4

/** Numbers below a limit, the same for the same seed. */
const randomOf = (seed: number): ((below: number) => number) => {
  let state = seed | 0
  return below => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below
  }
}

/** A random step of a random validator; undefined when nobody can do anything. */
const chosen = (
  network: Network,
  tuple: Tuple,
  random: (below: number) => number,
): { readonly place: number; readonly next: number; readonly action: number } | undefined => {
  const places = network.nodes.map((_, place) => place)
  // First a validator, then one of its steps: else those that can hear much would move most.
  while (places.length > 0) {
    const [place] = places.splice(random(places.length), 1) as [number]
    const steps = stepsOf(network, tuple, place)
    const step = steps[random(Math.max(1, steps.length))]
    if (step !== undefined) return { place, next: step.next, action: step.path[0] as number }
  }
  return undefined
}

/** Walks at random from the start until a limit, and counts the different states. For bounds that cannot be explored. */
export const walk = (network: Network, { seed, lengthMax, limits, onState }: Walk): Result => {
  const start = process.cpuUsage()
  const random = randomOf(seed)
  const initial = network.initial()
  const table = createTable(initial.length)
  let [transitions, depth, length] = [0, 0, FIRST_LENGTH]
  let violation: Violation | undefined
  let isStopped = false
  const isOver = (): boolean =>
    isStopped || table.size() >= limits.states || cpuSecondsSince(start) > limits.seconds
  while (violation === undefined && !isOver()) {
    let tuple: Tuple = initial.slice()
    const steps: Step[] = []
    while (steps.length < length && violation === undefined && !isOver()) {
      const step = chosen(network, tuple, random)
      if (step === undefined) break
      tuple = network.move(tuple, step.place, step.next)
      steps.push({
        node: network.nodes[step.place] as number,
        action: network.world.actions.all[step.action]?.name ?? '?',
      })
      transitions++
      if (!table.add(tuple, -1)) continue
      isStopped = onState?.(tuple, table.size() - 1) === true
      const what = violationAt(network, tuple, step.place)
      if (what !== undefined) violation = { what, steps }
    }
    depth = Math.max(depth, steps.length)
    length = length >= lengthMax ? FIRST_LENGTH : length + LENGTH_STEP
  }
  return {
    states: table.size(),
    transitions,
    depth,
    isComplete: false,
    locals: network.locals.size(),
    runs: network.transitions(),
    cpuSeconds: cpuSecondsSince(start),
    memoryMb: memoryMb(),
    violation,
  }
}
