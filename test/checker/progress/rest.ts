import type { Effect } from '../../../core/qbft/effect.ts'
import type { QbftEnvironment } from '../../../core/qbft/environment.ts'
import type { HeadContext, Input, Timer } from '../../../core/qbft/input.ts'
import { transition } from '../../../core/qbft/machine.ts'
import { QBFT_CODES, type WireMessage } from '../../../core/qbft/message.ts'
import { withRound } from '../../../core/qbft/codec/roundOfBlock.ts'
import { initialState, type QbftState } from '../../../core/qbft/state.ts'
import type { Network, Tuple } from '../explore/network.ts'
import type { Local } from '../local/local.ts'
import { environmentOf } from '../local/perform.ts'
import { INVALID } from '../world/blocks.ts'
import { beginningOf, type Chain, lastOf, lengthOf } from '../world/chain.ts'
import { START_MS, type World } from '../world/world.ts'
import { type Clock, createClock } from './clock.ts'
import { type Behaviour, distorted, farRoundChange } from './liar.ts'

/** How messages come: those on their way at the beginning are lost or not; all take their time, or little. */
export const WEATHERS = ['lost', 'kept', 'slow'] as const
export type Weather = (typeof WEATHERS)[number]

/** One validator of the good network. */
export type Runner = {
  readonly index: number
  readonly isHonest: boolean
  readonly isRestarted: boolean
  readonly environment: QbftEnvironment
  readonly timers: Map<Timer['kind'], number>
  state: QbftState
  chain: Chain
  /** Blocks of the longest chain since the beginning when it first voted again. */
  votedAfter: number | undefined
  /** The most rounds that it was in at one height. */
  rounds: number
}

/** The network from a state on: every message arrives after the same time, timers are punctual, blocks can be downloaded. */
export type Rest = {
  readonly clock: Clock
  readonly runners: readonly Runner[]
  /** Length of the longest chain. */
  length(): number
}

const LATENCY_MS = 20
/** The messages of a round then take longer than the shortest timeout. */
const SLOW_LATENCY_MS = 400
export const PERIOD_MS = 1000
/** A node that is behind downloads blocks after this time, as the node does. */
const DOWNLOAD_MS = 3000
const FAR_ROUND_INTERVAL_MS = 500

type Parts = {
  readonly world: World
  readonly clock: Clock
  readonly behaviour: Behaviour
  readonly runners: Runner[]
  readonly longest: { chain: Chain }
  readonly start: number
  readonly latencyMs: number
  timerCount: number
}

const headFor = ({ world, clock }: Parts, chain: Chain): HeadContext => ({
  ...world.headOf(chain),
  readyAtMs: clock.nowMs() + PERIOD_MS,
})

const put = (parts: Parts, runner: Runner, first: Input): void => {
  const queue = [first]
  for (let input = queue.shift(); input !== undefined; input = queue.shift()) {
    const { state, effects } = transition(runner.environment, runner.state, input, parts.clock.nowMs())
    runner.state = state
    const height = state.height
    if (height?.round !== undefined) runner.rounds = Math.max(runner.rounds, height.round.round)
    for (const effect of effects) perform(parts, runner, effect, queue)
  }
}

/** What Byzantine members say comes first. */
const latencyOf = ({ world, latencyMs }: Parts, from: number): number =>
  world.scope.byzantine.includes(from) ? latencyMs / 2 : latencyMs

const deliver = (parts: Parts, from: number, to: number, message: WireMessage): void =>
  parts.clock.after(latencyOf(parts, from), () => {
    const runner = parts.runners.find(({ index }) => index === to)
    const peer = parts.world.members.addresses[from] as Uint8Array
    if (runner !== undefined) put(parts, runner, { kind: 'message', message, peer })
  })

const send = (parts: Parts, runner: Runner, message: WireMessage, to: readonly Uint8Array[]): void => {
  const { world, behaviour } = parts
  for (const address of to) {
    const index = world.members.indexOf(address)
    const said = runner.isHonest
      ? message
      : distorted(behaviour, world, runner.index, runner.chain, index, message)
    if (said !== undefined) deliver(parts, runner.index, index, said)
  }
}

const noteVote = ({ longest, start }: Parts, runner: Runner, { code }: WireMessage): void => {
  const isVote = code === QBFT_CODES.prepare || code === QBFT_CODES.commit
  if (isVote) runner.votedAfter ??= lengthOf(longest.chain) - start
}

const startTimer = (parts: Parts, runner: Runner, timer: Timer, delayMs: number): void => {
  const number = parts.timerCount++
  runner.timers.set(timer.kind, number)
  parts.clock.after(delayMs, () => {
    if (runner.timers.get(timer.kind) !== number) return
    runner.timers.delete(timer.kind)
    put(parts, runner, { kind: 'timer', timer, transactionsWaiting: true })
  })
}

const append = (parts: Parts, runner: Runner, chain: Chain): Input => {
  runner.chain = chain
  if (lengthOf(chain) > lengthOf(parts.longest.chain)) parts.longest.chain = chain
  runner.timers.clear()
  return { kind: 'head', head: headFor(parts, chain) }
}

const perform = (parts: Parts, runner: Runner, effect: Effect, queue: Input[]): void => {
  const { world, clock } = parts
  switch (effect.kind) {
    case 'broadcast':
      noteVote(parts, runner, effect.message)
      return send(parts, runner, effect.message, effect.to)
    case 'inform':
      return send(parts, runner, effect.message, effect.to)
    case 'send':
      return send(parts, runner, effect.message, [effect.to])
    case 'start-timer':
      return startTimer(parts, runner, effect.timer, effect.atMs - clock.nowMs())
    case 'cancel-timer':
      runner.timers.delete(effect.timer)
      return
    case 'build-block': {
      const { sequence, round } = effect
      const address = world.members.addresses[runner.index] as Uint8Array
      const block = withRound(world.blocks.make(`S${runner.index}`, address, runner.chain), round)
      queue.push({ kind: 'block-built', sequence, round, block })
      return
    }
    case 'verify-block': {
      const isValid = !lastOf(world.blocks.chainOf(effect.hash)).startsWith(INVALID)
      queue.push({
        kind: 'block-verified',
        hash: effect.hash,
        invalid: isValid ? undefined : 'it is not valid',
      })
      return
    }
    case 'import-block':
      queue.push(append(parts, runner, world.blocks.chainOf(effect.hash)))
      return
    // Everybody is connected with everybody.
    case 'relay':
    case 'record':
    case 'peer-ahead':
    case 'evidence':
    case 'dropped':
    case 'recall':
    case 'round-started':
      return
    default:
      effect satisfies never
  }
}

/** Downloads a block for everybody that is behind. */
const downloadAll = (parts: Parts): void => {
  for (const runner of parts.runners) {
    const length = lengthOf(runner.chain)
    if (length >= lengthOf(parts.longest.chain)) continue
    put(parts, runner, append(parts, runner, beginningOf(parts.longest.chain, length + 1)))
  }
  parts.clock.after(DOWNLOAD_MS, () => downloadAll(parts))
}

const askFarRounds = (parts: Parts): void => {
  const { world, longest, runners } = parts
  for (const author of world.scope.byzantine)
    for (const { index } of runners)
      if (index !== author) deliver(parts, author, index, farRoundChange(world, author, longest.chain))
  parts.clock.after(FAR_ROUND_INTERVAL_MS, () => askFarRounds(parts))
}

const runnerOf = (parts: Parts, local: Local | undefined, index: number): Runner => ({
  index,
  isHonest: local !== undefined,
  isRestarted: (local?.life ?? 0) > 0,
  environment: { ...environmentOf(parts.world, index), duplicateMessagesMax: 100 },
  timers: new Map(),
  state: local === undefined || local.isDone ? initialState(undefined) : local.state,
  chain: local?.chain ?? parts.longest.chain,
  votedAfter: undefined,
  rounds: 0,
})

/** Messages on their way when the network becomes good: all that were sent, to everybody. */
const deliverAll = (parts: Parts, locals: readonly Local[]): void => {
  for (const { sent, node } of locals)
    for (const id of sent) {
      const action = parts.world.actions.all[id]
      if (action?.kind !== 'hear') continue
      for (const { index } of parts.runners)
        if (index !== node) deliver(parts, node, index, action.message.wire)
    }
}

/** The network in which the state of the exploration finds itself when everything works from now on. */
export const createRest = (network: Network, tuple: Tuple, behaviour: Behaviour, weather: Weather): Rest => {
  const { world, locals, nodes } = network
  const honest = nodes.map((_, place) => locals.state(tuple[place] as number))
  const longest = honest.reduce((best, { chain }) => (lengthOf(chain) > lengthOf(best) ? chain : best), '')
  const clock = createClock(Math.max(START_MS, ...honest.map(({ nowMs }) => nowMs)))
  const parts: Parts = {
    world,
    clock,
    behaviour,
    runners: [],
    longest: { chain: longest },
    start: lengthOf(longest),
    latencyMs: weather === 'slow' ? SLOW_LATENCY_MS : LATENCY_MS,
    timerCount: 0,
  }
  for (const local of honest) {
    const runner = runnerOf(parts, local, local.node)
    parts.runners.push(runner)
    if (local.isDone) put(parts, runner, { kind: 'head', head: headFor(parts, local.chain) })
    else for (const timer of local.timers.values()) startTimer(parts, runner, timer, PERIOD_MS)
  }
  if (behaviour !== 'silent')
    for (const index of world.scope.byzantine) {
      const runner = runnerOf(parts, undefined, index)
      parts.runners.push(runner)
      put(parts, runner, { kind: 'head', head: headFor(parts, longest) })
    }
  if (weather !== 'lost') deliverAll(parts, honest)
  clock.after(DOWNLOAD_MS, () => downloadAll(parts))
  if (behaviour === 'far-round') askFarRounds(parts)
  return { clock, runners: parts.runners, length: () => lengthOf(parts.longest.chain) }
}
