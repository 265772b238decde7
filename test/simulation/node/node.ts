import { type Address, equalBytes } from '../../../core/bytes/bytes.ts'
import type { Block } from '../../../core/block/block.ts'
import type { Vote } from '../../../core/block/codec/extraData.ts'
import { sealOfSignature } from '../../../core/block/codec/seal.ts'
import { sign } from '../../../core/crypto/crypto.ts'
import type { QbftEnvironment } from '../../../core/qbft/environment.ts'
import type { Effect } from '../../../core/qbft/effect.ts'
import type { HeadContext, Input } from '../../../core/qbft/input.ts'
import { InvariantBroken } from '../../../core/qbft/invariant.ts'
import { type Transition, transition } from '../../../core/qbft/machine.ts'
import { newRecall } from '../../../core/qbft/restart/recall.ts'
import { initialState, type QbftState } from '../../../core/qbft/state.ts'
import { headContext } from './headContext.ts'
import type { Endpoint } from '../link/network.ts'
import type { Random } from '../random.ts'
import type { World } from '../world.ts'
import { type Clock, createClock } from './clock.ts'
import { type Conditions, HEALTHY } from './conditions.ts'
import { createDisk, type Disk } from './disk.ts'
import type { Identity } from './identity.ts'
import { createOutlet, type Outlet } from './outlet.ts'
import { createPool, type Pool } from './pool.ts'
import { createSync } from './sync.ts'
import { createTimers } from './timers.ts'
import { createWork } from './work.ts'

/** A machine of the simulation with what runs on it: the product's state machine, and what performs its effects. */
export type Node = Endpoint & {
  readonly identity: Identity
  readonly disk: Disk
  readonly clock: Clock
  readonly pool: Pool
  readonly random: Random
  /** False for attackers, of which nothing is expected. */
  readonly isHonest: boolean
  /** It may come back without what it wrote; honest all the same. */
  readonly isForgetful: boolean
  /** Undefined while it is down. */
  state(): QbftState | undefined
  boot(): void
  /** With what chance a head that does not last yet is there all the same. */
  crash(headSaved?: number): void
  /** It crashes by itself before performing its `effects`-th next effect; undefined calls that off. */
  crashAfter(effects: number | undefined): void
  /** It does not boot in the meantime. */
  keepDown(down: boolean): void
  setConditions(conditions: Conditions): void
  conditions(): Conditions
  setVotes(votes: readonly Vote[]): void
  votes(): readonly Vote[]
  /** A block by this node on its head. */
  put(input: Input): void
  /** An input that is not a message; consensus rests while `active` is false. */
  tellHead(): void
  setActive(active: boolean): void
}

export type NodeOptions = {
  readonly index: number
  readonly name: string
  readonly identity: Identity
  readonly environment: Omit<QbftEnvironment, 'address' | 'sign'>
  readonly skewMs: number
  readonly isForgetful: boolean
  /** What an attacker makes of the messages that come in and go out; undefined for an honest node. */
  readonly outlet: ((node: Node, plain: Outlet) => Outlet) | undefined
}

/** One life of the node, from boot to crash. */
type Life = { state: QbftState; readonly inputs: Input[]; busy: boolean; active: boolean; ended: boolean }

export const createNode = (world: World, options: NodeOptions): Node => {
  const { scheduler, checker, trace, network, genesis } = world
  const { identity, index, name } = options
  const random = world.random.fork(`node ${index}`)
  const clock = createClock(scheduler, options.skewMs)
  const isHonest = options.outlet === undefined
  let conditions = HEALTHY
  let votes: readonly Vote[] = []
  let life: Life | undefined
  let headArrivedMs = 0
  let isKeptDown = false
  /** Effects until a crash that was planned. */
  let untilCrash: number | undefined

  const appended = (block: Block): void => {
    pool.included(block)
    headArrivedMs = clock.nowMs()
    if (isHonest) checker.appended(node, block)
  }
  const disk = createDisk(genesis, scheduler, random.fork('disk'), appended, () => world.count('heads lost'))
  const pool = createPool(() => put({ kind: 'transactions-waiting' }))

  const environment: QbftEnvironment = {
    ...options.environment,
    address: identity.address,
    sign: digest => {
      if (random.chance(conditions.signFails)) {
        world.count('signatures refused')
        throw new Error('the signer is out of reach')
      }
      return sealOfSignature(sign(digest, identity.privateKey))
    },
  }

  const put = (input: Input): void => {
    if (life === undefined) return
    life.inputs.push(input)
    drain(life)
  }

  /** A callback that does nothing once the life it was made in is over. */
  const inThisLife = (run: () => void): (() => void) => {
    const made = life
    return () => {
      if (made !== undefined && !made.ended) run()
    }
  }

  /** Undefined after a broken invariant, which is a violation of whoever's machine it is. */
  const stepped = (before: QbftState, input: Input): Transition | undefined => {
    try {
      return transition(environment, before, input, clock.nowMs())
    } catch (error) {
      if (!(error instanceof InvariantBroken)) throw error
      checker.violated(`${name}: ${error.message}`)
      return undefined
    }
  }

  const drain = (of: Life): void => {
    while (!of.busy && !of.ended) {
      const input = of.inputs.shift()
      if (input === undefined) return
      of.busy = true
      const before = of.state
      const result = stepped(before, input)
      if (result === undefined) return
      of.state = result.state
      if (isHonest) checker.stepped(node, before, result.state, result.effects)
      perform(of, result.effects, 0)
    }
  }

  const crashesNow = (): boolean => {
    if (untilCrash === undefined) return false
    if (untilCrash-- > 0) return false
    untilCrash = undefined
    return true
  }

  /** One effect after the other; what follows a record waits until it lasts. */
  const perform = (of: Life, effects: readonly Effect[], from: number): void => {
    for (let position = from; position < effects.length; position++) {
      if (of.ended) return
      if (crashesNow()) return crash()
      const effect = effects[position] as Effect
      if (effect.kind !== 'record') {
        performOne(effect)
        continue
      }
      const delayMs = random.between(...conditions.syncMs)
      disk.writeRecord(
        effect.record,
        delayMs,
        inThisLife(() => {
          perform(of, effects, position + 1)
          drain(of)
        }),
      )
      return
    }
    of.busy = false
  }

  const performOne = (effect: Exclude<Effect, { readonly kind: 'record' }>): void => {
    switch (effect.kind) {
      case 'broadcast':
      case 'send':
      case 'relay':
        return outlet.send(effect)
      case 'start-timer':
        return timers.start(effect.timer, effect.atMs)
      case 'cancel-timer':
        return timers.cancel(effect.timer)
      case 'build-block':
        return work.build(effect)
      case 'verify-block':
        return work.verify(effect)
      case 'import-block':
        return work.import(effect)
      case 'inform':
        return outlet.inform(effect)
      case 'evidence':
      case 'dropped':
      case 'round-started':
      case 'recall':
        return trace.note(scheduler.nowMs(), name, `* ${effect.kind}`, () => describe(effect))
      case 'peer-ahead':
        return
    }
  }

  const tellHead = (): void => {
    if (life === undefined) return
    const { active } = life
    const head: HeadContext = headContext(genesis, disk.chain, { arrivedMs: headArrivedMs, active })
    put({ kind: 'head', head })
  }

  const crash = (headSaved = 0.5): void => {
    if (life === undefined) return
    life.ended = true
    life = undefined
    untilCrash = undefined
    world.count('crashes')
    trace.note(scheduler.nowMs(), name, '! crash')
    timers.stop()
    sync.stop()
    pool.clear()
    disk.crash(headSaved)
  }

  const boot = (): void => {
    if (life !== undefined || isKeptDown) return
    trace.note(scheduler.nowMs(), name, '! boot')
    const record = disk.record()
    const state = initialState(record, newRecall(record?.sequence, false))
    life = { state, inputs: [], busy: false, active: true, ended: false }
    headArrivedMs = clock.nowMs()
    tellHead()
    network.arrived(node)
    sync.start()
  }

  const node: Node = {
    index,
    name,
    address: identity.address,
    identity,
    disk,
    clock,
    pool,
    random,
    isHonest,
    isForgetful: options.isForgetful,
    state: () => life?.state,
    isUp: () => life !== undefined,
    receive: (message, from) => outlet.receive(message, from),
    connected: (peer: Address) => {
      if (!equalBytes(peer, identity.address)) put({ kind: 'peer-connected', peer })
    },
    boot,
    crash,
    crashAfter: effects => {
      untilCrash = effects
    },
    keepDown: down => {
      isKeptDown = down
    },
    setConditions: next => {
      conditions = next
    },
    conditions: () => conditions,
    setVotes: next => {
      votes = next
    },
    votes: () => votes,
    put,
    tellHead,
    setActive: active => {
      if (life === undefined || life.active === active) return
      life.active = active
      tellHead()
    },
  }

  const timers = createTimers(scheduler, clock, timer =>
    put({ kind: 'timer', timer, transactionsWaiting: pool.size() > 0 }),
  )
  const work = createWork(world, node, inThisLife)
  const sync = createSync(world, node)
  const plain = createOutlet(world, node)
  const outlet = options.outlet === undefined ? plain : options.outlet(node, plain)
  network.join(node)
  return node
}

const describe = (
  effect: Extract<Effect, { readonly kind: 'evidence' | 'dropped' | 'round-started' | 'recall' }>,
): string => {
  switch (effect.kind) {
    case 'evidence':
      return `height ${effect.evidence.sequence} round ${effect.evidence.round}`
    case 'dropped':
      return `${effect.reason}: ${effect.detail}`
    case 'recall':
      return `height ${effect.sequence} round ${effect.round ?? 'none'}: ${effect.reported} reported, ${effect.needed} needed`
    case 'round-started':
      return `height ${effect.sequence} round ${effect.round} for ${effect.timeoutMs} ms by ${effect.reason}, heard ${effect.heard.length}`
  }
}
