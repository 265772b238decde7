import { disagreementIn } from './agreement.ts'
import { createLeaps, type Leap, leapsOf, stepsOf } from './leaps.ts'
import type { Network, Tuple } from './network.ts'
import { createTable } from './table.ts'

/** A step of one validator, by name. */
export type Step = { readonly node: number; readonly action: string }

export type Violation = { readonly what: string; readonly steps: readonly Step[] }

export type Limits = { readonly states: number; readonly seconds: number }

export type Result = {
  readonly states: number
  /** Steps between global states, the last ones to states that were known included. */
  readonly transitions: number
  readonly depth: number
  /** Every behaviour within the bounds was explored. */
  readonly isComplete: boolean
  readonly locals: number
  /** How often the machine ran. */
  readonly runs: number
  readonly cpuSeconds: number
  readonly memoryMb: number
  readonly violation: Violation | undefined
}

export type Exploration = {
  readonly limits: Limits
  /** Take single steps instead of leaps. */
  readonly isNaive: boolean
  /** Called with each state; the exploration ends when it returns true. */
  readonly onState?: (tuple: Tuple, index: number) => boolean
}

export const cpuSecondsSince = (start: NodeJS.CpuUsage): number => {
  const { user, system } = process.cpuUsage(start)
  return (user + system) / 1e6
}

export const memoryMb = (): number => Math.round(process.memoryUsage().rss / 2 ** 20)

/** The first safety rule that is broken after a step of the validator at this place. */
export const violationAt = (network: Network, tuple: Tuple, place: number): string | undefined => {
  const { locals, world, nodes } = network
  const facts = locals.facts(tuple[place] as number)
  if (facts.fault !== undefined) return `a${nodes[place]} ${facts.fault}`
  if (facts.commits.length === 0 && facts.chain === '') return undefined
  return disagreementIn(
    world,
    nodes.map((_, at) => locals.facts(tuple[at] as number)),
  )
}

const isSameTuple = (one: Tuple, other: Tuple): boolean => one.every((value, at) => value === other[at])

/** The actions between two states that follow each other. */
const stepsBetween = (
  network: Network,
  before: Tuple,
  after: Tuple,
  successors: (place: number) => readonly Leap[],
): readonly Step[] => {
  for (const [place, node] of network.nodes.entries())
    for (const { next, path } of successors(place))
      if (isSameTuple(network.move(before, place, next), after))
        return path.map(action => ({ node, action: network.world.actions.all[action]?.name ?? '?' }))
  return []
}

/** Explores breadth first, so that a violation that is found takes the fewest leaps. */
export const explore = (network: Network, { limits, isNaive, onState }: Exploration): Result => {
  const start = process.cpuUsage()
  const initial = network.initial()
  const table = createTable(initial.length)
  const successors = (tuple: Tuple, place: number): readonly Leap[] =>
    isNaive ? stepsOf(network, tuple, place) : leapsOf(network, tuple, place)
  const leaps = createLeaps(network)
  const nextOf = (tuple: Tuple, place: number): readonly number[] =>
    isNaive ? stepsOf(network, tuple, place).map(({ next }) => next) : leaps(tuple, place)
  table.add(initial, -1)
  const tuple = initial.slice()
  let [transitions, depth, levelEnd] = [0, 0, 1]
  let found: { readonly what: string; readonly index: number } | undefined
  let isStopped = false
  for (let at = 0; at < table.size() && found === undefined && !isStopped; at++) {
    if (at === levelEnd) {
      depth++
      levelEnd = table.size()
    }
    table.read(at, tuple)
    isStopped = onState?.(tuple, at) === true
    for (let place = 0; place < network.nodes.length && found === undefined && !isStopped; place++) {
      for (const next of nextOf(tuple, place)) {
        transitions++
        const moved = network.move(tuple, place, next)
        if (!table.add(moved, at)) continue
        const what = violationAt(network, moved, place)
        if (what !== undefined) {
          found = { what, index: table.size() - 1 }
          break
        }
      }
      // One leap can take seconds: a validator that restarted can hear a lot before others see anything of it.
      isStopped ||= table.size() > limits.states || cpuSecondsSince(start) > limits.seconds
    }
  }
  const stepsTo = (index: number): readonly Step[] => {
    const steps: Step[] = []
    const [before, after] = [initial.slice(), initial.slice()]
    for (let last = index; table.parent(last) >= 0; last = table.parent(last)) {
      table.read(table.parent(last), before)
      table.read(last, after)
      steps.unshift(...stepsBetween(network, before, after, place => successors(before, place)))
    }
    return steps
  }
  return {
    states: table.size(),
    transitions,
    depth,
    isComplete: !isStopped && found === undefined,
    locals: network.locals.size(),
    runs: network.transitions(),
    cpuSeconds: cpuSecondsSince(start),
    memoryMb: memoryMb(),
    violation: found === undefined ? undefined : { what: found.what, steps: stepsTo(found.index) },
  }
}
