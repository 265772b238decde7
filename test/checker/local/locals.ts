import type { Effect } from '../../../core/qbft/effect.ts'
import type { Input, Timer } from '../../../core/qbft/input.ts'
import { newRecall } from '../../../core/qbft/restart/recall.ts'
import { initialState } from '../../../core/qbft/state.ts'
import type { Action } from '../world/actions.ts'
import { lengthOf } from '../world/chain.ts'
import { START_MS, type World } from '../world/world.ts'
import { type Bits, bitsOf, hasBit, noBits, withBit } from './bits.ts'
import { fingerprint } from './fingerprint.ts'
import { faultIn } from './invariants.ts'
import type { Local } from './local.ts'
import { download, environmentOf, finish, type Machine, take } from './perform.ts'
import { bare, recordKey, stateKey } from './stateKey.ts'

/** What the explorer needs of a local state without the state itself. */
export type Facts = {
  readonly node: number
  readonly life: number
  readonly chain: string
  readonly isDone: boolean
  /** Number of the set of sent messages; `sent` are its bits. */
  readonly sentId: number
  readonly sent: Bits
  /** Commits that it signed, as `chain@round`. */
  readonly commits: readonly string[]
  /** The digest that votes count for now. */
  readonly accepted: string | undefined
  /** Ids of the actions that need no message: timers, crashes, works. */
  readonly own: readonly number[]
  /** It names a block of a Byzantine member. */
  readonly mentions: boolean
  readonly fault: string | undefined
}

/** A step beyond the bounds. */
export const BEYOND = -1

/** Numbered local states and the steps between them. */
export type Locals = {
  initial(node: number): number
  facts(id: number): Facts
  /** The local state itself; computed again from its predecessor when it is no longer kept. */
  state(id: number): Local
  /** The local state after the action; the same one when nothing changes. */
  step(id: number, action: number): number
  /** The effective steps known so far from a state, as actions and the states after them, alternating. */
  edges(id: number): readonly number[]
  /** Actions whose step from a state is known. */
  tried(id: number): Bits
  size(): number
}

/** States kept in memory; others are computed again from the nearest kept predecessor, 50 us for each step. */
const KEPT_MAX = 8_000

const restarted = (machine: Machine, local: Local, back: number | undefined): Local => {
  const record = back === undefined ? undefined : local.records.at(-1 - back)
  const state = initialState(record, newRecall(record?.sequence, false))
  const start: Local = {
    ...local,
    state,
    timers: new Map(),
    works: [],
    life: local.life + 1,
    nowMs: START_MS,
  }
  return take(machine, start, { kind: 'head', head: machine.world.headOf(local.chain) })
}

/** Longer than every wait of the recall. */
const WAIT_MS = 10_000

const timerInput = (local: Local, kind: Timer['kind']): Input => ({
  kind: 'timer',
  timer: local.timers.get(kind) as Timer,
  transactionsWaiting: false,
})

const after = (machine: Machine, local: Local, action: Action): Local => {
  switch (action.kind) {
    case 'hear': {
      const { wire, author } = action.message
      const peer = machine.world.members.addresses[author] as Uint8Array
      return take(machine, local, { kind: 'message', message: wire, peer })
    }
    case 'block-timer':
      return take(machine, local, timerInput(local, 'block'))
    case 'round-timer':
      return take(machine, local, timerInput(local, 'round'))
    case 'wait': {
      const waiting = { ...local, nowMs: local.nowMs + WAIT_MS }
      return take(machine, waiting, timerInput(local, 'recall'))
    }
    case 'restart':
      return restarted(machine, local, action.back)
    case 'finish': {
      const work = local.works.find(({ name }) => name === action.work)
      return work === undefined ? local : finish(machine, local, work, action.isDone)
    }
    case 'download':
      return download(machine, local, action.chain)
  }
}

/** The actions that need nobody else. */
const ownActions = ({ scope, actions }: World, local: Local): readonly number[] => {
  const { timers, state, works, records, life } = local
  const own: number[] = []
  if (!local.isDone) {
    if (timers.has('block') && state.height?.round === undefined) own.push(actions.timer('block-timer').id)
    if (timers.has('round')) own.push(actions.timer('round-timer').id)
    if (timers.has('recall') && state.recall !== undefined) own.push(actions.timer('wait').id)
    for (const { name } of works) own.push(actions.finish(name, true).id, actions.finish(name, false).id)
  }
  if (local.node === scope.victim && life < scope.crashes && !local.isDone) {
    const kept = scope.records === 'any' ? records.length : 1
    for (let back = 0; back < kept; back++) own.push(actions.restart(back).id)
    if (scope.records === 'any' && records.length > 0) own.push(actions.restart(undefined).id)
  }
  return own
}

const keyOf = (world: World, local: Local): string => {
  const { scope } = world
  const { node, life, chain, timers, sent, works } = local
  const naming = { world }
  const mayCrash = node === scope.victim && life < scope.crashes
  const kept = scope.records === 'any' ? local.records : local.records.slice(-1)
  return [
    `${node} ${life} ${chain} ${[...timers.keys()].toSorted().join(',')} ${local.fault ?? ''}`,
    [...sent].toSorted((one, other) => one - other).join(','),
    mayCrash ? kept.map(record => recordKey(record, naming)).join('~') : '',
    scope.slow
      ? `${works.map(({ name }) => name).join(',')};${[...local.verified].toSorted().join(',')}`
      : '',
    local.isDone ? 'done' : stateKey(local.state, naming),
  ].join('#')
}

/** Takes out what decides nothing, so that equal states share it. */
const reduced = (local: Local): Local =>
  local.isDone
    ? { ...local, state: initialState(undefined), timers: new Map(), records: [] }
    : { ...local, state: bare(local.state) }

const factsOf = (
  world: World,
  local: Local,
  key: string,
  shared: { readonly sentId: number; readonly sent: Bits },
): Facts => {
  const sent = [...local.sent].flatMap(id => {
    const action = world.actions.all[id]
    return action?.kind === 'hear' ? [action.message] : []
  })
  const proposal = local.isDone ? undefined : local.state.height?.round?.proposal
  return {
    node: local.node,
    life: local.life,
    chain: local.chain,
    isDone: local.isDone,
    ...shared,
    commits: sent.flatMap(({ kind, digest, round }) =>
      kind === 'commit' ? [`${digest.split('@')[0]}@${round}`] : [],
    ),
    accepted: proposal === undefined ? undefined : world.blocks.digestName(proposal.digest),
    own: ownActions(world, local),
    mentions: /\bB\d/.test(key) || sent.some(({ name }) => /\bB\d/.test(name)),
    fault: faultIn(world, local),
  }
}

export const createLocals = (world: World, onTransition: (effects: readonly Effect[]) => void): Locals => {
  const { scope } = world
  const facts: Facts[] = []
  const parents: number[] = []
  const causes: number[] = []
  const edges: number[][] = []
  const tried: Bits[] = []
  const ids = new Map<string, number>()
  const kept = new Map<number, Local>()
  const sentIds = new Map<string, { readonly sentId: number; readonly sent: Bits }>()
  const machines: readonly Machine[] = world.members.addresses.map((_, node) => ({
    world,
    environment: environmentOf(world, node),
    onTransition,
  }))

  const keep = (id: number, local: Local): void => {
    kept.set(id, local)
    if (kept.size <= KEPT_MAX) return
    for (const oldest of kept.keys()) {
      kept.delete(oldest)
      break
    }
  }

  const sharedSent = (sent: ReadonlySet<number>): { readonly sentId: number; readonly sent: Bits } => {
    const key = [...sent].toSorted((one, other) => one - other).join(',')
    const known = sentIds.get(key)
    if (known !== undefined) return known
    const made = { sentId: sentIds.size, sent: bitsOf(sent) }
    sentIds.set(key, made)
    return made
  }

  const intern = (local: Local, parent: number, cause: number): number => {
    const small = reduced(local)
    const key = keyOf(world, small)
    const print = fingerprint(key)
    const known = ids.get(print)
    if (known !== undefined) return known
    const id = facts.length
    ids.set(print, id)
    facts.push(factsOf(world, small, key, sharedSent(small.sent)))
    parents.push(parent)
    causes.push(cause)
    edges.push([])
    tried.push(noBits)
    keep(id, small)
    return id
  }

  const begun = (node: number): Local => {
    const local: Local = {
      node,
      state: initialState(undefined),
      nowMs: START_MS,
      timers: new Map(),
      records: [],
      life: 0,
      chain: '',
      isDone: false,
      sent: new Set(),
      verified: new Set(),
      works: [],
      fault: undefined,
    }
    return take(machines[node] as Machine, local, { kind: 'head', head: world.headOf('') })
  }

  const computed = (id: number, action: number): Local => {
    const local = state(id)
    return after(machines[local.node] as Machine, local, world.actions.all[action] as Action)
  }

  const state = (id: number): Local => {
    const known = kept.get(id)
    if (known !== undefined) return known
    const parent = parents[id] as number
    const local = parent < 0 ? begun((facts[id] as Facts).node) : computed(parent, causes[id] as number)
    const small = reduced(local)
    keep(id, small)
    return small
  }

  const isWithin = ({ isDone, state: { height }, chain }: Local): boolean =>
    isDone || ((height?.round?.round ?? 0) < scope.rounds && lengthOf(chain) < scope.heights)

  const step = (id: number, action: number): number => {
    const list = edges[id] as number[]
    if (hasBit(tried[id] as Bits, action)) {
      for (let at = 0; at < list.length; at += 2) if (list[at] === action) return list[at + 1] as number
      return id
    }
    const before = state(id)
    const local = after(machines[before.node] as Machine, before, world.actions.all[action] as Action)
    const next = local === before ? id : isWithin(local) ? intern(local, id, action) : BEYOND
    tried[id] = withBit(tried[id] as Bits, action)
    if (next !== id) list.push(action, next)
    return next
  }

  return {
    initial: node => intern(begun(node), -1, -1),
    facts: id => facts[id] as Facts,
    state,
    step,
    edges: id => edges[id] as number[],
    tried: id => tried[id] as Bits,
    size: () => facts.length,
  }
}
