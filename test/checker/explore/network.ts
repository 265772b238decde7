import type { Effect } from '../../../core/qbft/effect.ts'
import { createAdversary } from '../adversary/adversary.ts'
import { addBits, type Bits, bitsOf, bitsUpTo } from '../local/bits.ts'
import { createLocals, type Facts, type Locals } from '../local/locals.ts'
import { createWorld, type World } from '../world/world.ts'
import type { Scope } from '../scope.ts'
import { createDownloads, type Downloads } from './downloads.ts'
import { createKinds, type Kinds } from './kinds.ts'
import { createPositions, type Positions } from './positions.ts'

/**
 * A global state: for each honest validator the number of its local state, then for each the number of the list of its
 * positions since the victim last restarted. Everything else follows: messages are never lost but only not heard yet, and
 * Byzantine members know all that was sent.
 */
export type Tuple = Int32Array<ArrayBuffer>

/** The network within a scope: what each validator can do in a global state. */
export type Network = {
  readonly world: World
  readonly locals: Locals
  readonly positions: Positions
  /** Indexes of the honest validators; a tuple has them in this order. */
  readonly nodes: readonly number[]
  initial(): Tuple
  /** Messages that the validator at this place of the tuple can hear, and blocks that it can download. */
  audible(tuple: Tuple, place: number): Bits
  /** The same text for tuples in which every validator can hear the same. */
  surroundings(tuple: Tuple): string
  /** Of the audible messages those that matter in a local state. */
  timely(local: number, audible: Bits): Bits
  /** The tuple after a step of the validator at this place. */
  move(tuple: Tuple, place: number, next: number): Tuple
  /** True when others can see the step from one local state to another. */
  isVisible(tuple: Tuple, place: number, before: number, after: number): boolean
  /** How often the machine ran. */
  transitions(): number
}

/** `onEffects` sees the effects of every transition. */
export const createNetwork = (
  scope: Scope,
  onEffects: (effects: readonly Effect[]) => void = () => {},
): Network => {
  const world = createWorld(scope)
  let ran = 0
  const locals = createLocals(world, effects => {
    ran++
    onEffects(effects)
  })
  const nodes = world.members.addresses.flatMap((_, index) =>
    scope.byzantine.includes(index) ? [] : [index],
  )
  const width = nodes.length
  const adversary = createAdversary(world)
  const positions = createPositions(world, locals)
  const kinds: Kinds = createKinds(world)
  const downloads: Downloads = createDownloads(world)
  const victimPlace = nodes.indexOf(scope.victim)
  const factsAt = (tuple: Tuple, place: number): Facts => locals.facts(tuple[place] as number)
  const isTracking = (tuple: Tuple): boolean => scope.crashes > 0 && factsAt(tuple, victimPlace).life > 0

  const pool = (tuple: Tuple, without: number): Bits => {
    const bits = bitsUpTo(world.actions.all.length)
    for (let place = 0; place < width; place++)
      if (place !== without) addBits(bits, factsAt(tuple, place).sent)
    return bits
  }

  const audible = (tuple: Tuple, place: number): Bits => {
    const all = pool(tuple, -1)
    const facts = nodes.map((_, at) => factsAt(tuple, at))
    const forged = adversary.menu(all, facts)
    const isVictim = place === victimPlace
    // What it signed before it crashed may be sent back.
    const heard = isVictim && isTracking(tuple) ? all : pool(tuple, place)
    const downloadable = downloads.of(facts, factsAt(tuple, place))
    const bits = bitsUpTo(world.actions.all.length)
    addBits(bits, heard)
    addBits(bits, forged)
    addBits(bits, bitsOf(downloadable))
    if (isVictim && isTracking(tuple))
      for (let other = 0; other < width; other++)
        if (other !== place) addBits(bits, positions.messages(tuple[width + other] as number))
    return bits
  }

  const move = (tuple: Tuple, place: number, next: number): Tuple => {
    const moved = tuple.slice()
    const before = factsAt(tuple, place)
    moved[place] = next
    if (scope.crashes === 0 || !isTracking(moved)) return moved
    const isRestart = locals.facts(next).life > before.life
    for (let other = 0; other < width; other++) {
      if (other === victimPlace) continue
      const list = width + other
      if (factsAt(moved, victimPlace).isDone) moved[list] = 0
      else if (isRestart) moved[list] = positions.begun(moved[other] as number)
      else if (other === place) moved[list] = positions.extended(moved[list] as number, next)
    }
    return moved
  }

  return {
    world,
    locals,
    positions,
    nodes,
    initial: () =>
      Int32Array.from([
        ...nodes.map(node => locals.initial(node)),
        ...(scope.crashes === 0 ? [] : nodes.map(() => 0)),
      ]),
    audible,
    surroundings: tuple => {
      let key = ''
      let mentions = false
      for (let place = 0; place < width; place++) {
        const { sentId, chain, life, isDone, mentions: isMentioned } = factsAt(tuple, place)
        key += `${sentId}/${chain}/${life}${isDone ? 'd' : ''}/${tuple[width + place] ?? 0},`
        mentions ||= isMentioned
      }
      return mentions ? `${key}B` : key
    },
    timely: (local, bits) => kinds.timely(locals.facts(local), bits),
    move,
    isVisible: (tuple, place, before, after) => {
      const [one, other] = [locals.facts(before), locals.facts(after)]
      if (one.sentId !== other.sentId || one.chain !== other.chain || one.life !== other.life) return true
      if (other.fault !== undefined) return true
      return place !== victimPlace && isTracking(tuple) && positions.of(before) !== positions.of(after)
    },
    transitions: () => ran,
  }
}
