import { type Bits, eachInWord, hasBit } from '../local/bits.ts'
import { BEYOND } from '../local/locals.ts'
import type { Network, Tuple } from './network.ts'

/** A step that others see, after steps of the same validator that they do not see. */
export type Leap = {
  readonly next: number
  /** Actions, the visible one last. */
  readonly path: readonly number[]
}

/** One validator in a global state, with what it can hear there. */
type Stand = { readonly tuple: Tuple; readonly place: number; readonly audible: (local: number) => Bits }

const standAt = (network: Network, tuple: Tuple, place: number): Stand => {
  const all = network.audible(tuple, place)
  const byAccepted = new Map<string, Bits>()
  return {
    tuple,
    place,
    // Of all that is audible, what matters depends on the accepted proposal alone.
    audible: local => {
      const { accepted = '', chain } = network.locals.facts(local)
      const key = `${chain}@${accepted}`
      const known = byAccepted.get(key)
      if (known !== undefined) return known
      const bits = network.timely(local, all)
      byAccepted.set(key, bits)
      return bits
    },
  }
}

/** Every effective step of one local state. */
const eachStep = (
  { locals }: Network,
  local: number,
  bits: Bits,
  visit: (action: number, next: number) => void,
): void => {
  const tried = locals.tried(local)
  for (let place = 0; place < bits.length; place++) {
    const untried = (bits[place] as number) & ~(tried[place] ?? 0)
    if (untried !== 0) eachInWord(untried, place, action => void locals.step(local, action))
  }
  const { own } = locals.facts(local)
  for (const action of own) if (!hasBit(tried, action)) locals.step(local, action)
  const edges = locals.edges(local)
  for (let at = 0; at < edges.length; at += 2) {
    const [action, next] = [edges[at] as number, edges[at + 1] as number]
    if (next !== BEYOND && (hasBit(bits, action) || own.includes(action))) visit(action, next)
  }
}

/** Where a validator can come to before others see anything of it. */
type Reach = {
  /** Local states, each with the place of the one before it and the action between them. */
  readonly silent: readonly number[]
  readonly leaps: readonly { readonly next: number; readonly from: number; readonly action: number }[]
  readonly path: (from: number) => readonly number[]
}

const reach = (network: Network, { tuple, place, audible }: Stand, start: number): Reach => {
  const seen = new Set([start])
  const silent = [start]
  const [froms, actions] = [[-1], [-1]]
  const leaps: { next: number; from: number; action: number }[] = []
  for (let at = 0; at < silent.length; at++) {
    const now = silent[at] as number
    eachStep(network, now, audible(now), (action, next) => {
      if (seen.has(next)) return
      seen.add(next)
      if (network.isVisible(tuple, place, now, next)) {
        leaps.push({ next, from: at, action })
        return
      }
      silent.push(next)
      froms.push(at)
      actions.push(action)
    })
  }
  const path = (from: number): readonly number[] =>
    from <= 0 ? [] : [...path(froms[from] as number), actions[from] as number]
  return { silent, leaps, path }
}

/**
 * The leaps of one validator from which all its others follow by steps that nobody sees: a message which the visible step
 * does not need can be heard after it.
 */
export const leapsOf = (network: Network, tuple: Tuple, place: number): readonly Leap[] => {
  const stand = standAt(network, tuple, place)
  const { leaps, path } = reach(network, stand, tuple[place] as number)
  const kept: Leap[] = []
  const covered = new Set<number>()
  for (const { next, from, action } of leaps) {
    if (covered.has(next)) continue
    kept.push({ next, path: [...path(from), action] })
    if (leaps.length === 1 || network.locals.facts(next).fault !== undefined) continue
    for (const local of reach(network, stand, next).silent) covered.add(local)
  }
  return kept
}

/** Every single step of one validator, seen or not: the exploration without reduction. */
export const stepsOf = (network: Network, tuple: Tuple, place: number): readonly Leap[] => {
  const steps: Leap[] = []
  const local = tuple[place] as number
  eachStep(network, local, standAt(network, tuple, place).audible(local), (action, next) =>
    steps.push({ next, path: [action] }),
  )
  return steps
}

/** Leaps kept in memory; where others hear the same, they are not computed again. */
const REMEMBERED_MAX = 100_000

/** The numbers of the local states after the leaps of a validator, remembered for what it can hear. */
export const createLeaps = (network: Network): ((tuple: Tuple, place: number) => readonly number[]) => {
  const remembered = new Map<string, readonly number[]>()
  return (tuple, place) => {
    const key = `${place} ${tuple[place]} ${network.surroundings(tuple)}`
    const known = remembered.get(key)
    if (known !== undefined) return known
    const leaps = leapsOf(network, tuple, place).map(({ next }) => next)
    if (remembered.size >= REMEMBERED_MAX) remembered.clear()
    remembered.set(key, leaps)
    return leaps
  }
}
