import type { Network, Tuple } from '../explore/network.ts'
import { lengthOf } from '../world/chain.ts'
import { type Behaviour, BEHAVIOURS } from './liar.ts'
import { createRest, type Weather, WEATHERS } from './rest.ts'

/** Blocks that every honest validator must get. */
const BLOCKS = 5
/** Virtual time for them. */
const LIMIT_MS = 120_000
/** Blocks within which a restarted validator must vote again. */
const VOTES_WITHIN = 3
/**
 * Rounds of one height. In the first F + 1 rounds that all are in, one proposer is honest; getting there takes one round,
 * because timeouts differ by less than one.
 */
const ROUNDS_MAX = 6

/** A good rest of a run in which somebody does not get on. */
export type Stall = {
  readonly what: string
  readonly behaviour: Behaviour
  readonly weather: Weather
  /** Number of the state in the exploration. */
  readonly state: number
}

export type Progress = {
  /** Good rests that were run. */
  readonly rests: number
  readonly slowestMs: number
  readonly roundsMax: number
  /** The first one. */
  readonly stall: Stall | undefined
}

export type Sampling = {
  /** Runs the rests of a state; true when somebody does not get on in one. */
  take(tuple: Tuple, state: number): boolean
  progress(): Progress
}

type Outcome = { readonly what: string | undefined; readonly ms: number; readonly rounds: number }

const runRest = (network: Network, tuple: Tuple, behaviour: Behaviour, weather: Weather): Outcome => {
  const rest = createRest(network, tuple, behaviour, weather)
  const start = rest.length()
  const startMs = rest.clock.nowMs()
  const honest = rest.runners.filter(({ isHonest }) => isHonest)
  const isOver = (): boolean => honest.every(({ chain }) => lengthOf(chain) >= start + BLOCKS)
  while (!isOver() && rest.clock.next(startMs + LIMIT_MS));
  const ms = rest.clock.nowMs() - startMs
  const rounds = Math.max(...honest.map(runner => runner.rounds))
  const late = honest.find(({ chain }) => lengthOf(chain) < start + BLOCKS)
  if (late !== undefined) {
    const count = Math.max(0, lengthOf(late.chain) - start)
    return { what: `a${late.index} gets ${count} of ${BLOCKS} blocks in ${LIMIT_MS / 1000} s`, ms, rounds }
  }
  const mute = honest.find(
    ({ isRestarted, votedAfter }) => isRestarted && (votedAfter ?? Infinity) > VOTES_WITHIN,
  )
  if (mute !== undefined) {
    const when =
      mute.votedAfter === undefined ? `in none of ${BLOCKS} blocks` : `only after ${mute.votedAfter} blocks`
    return { what: `a${mute.index} restarted, and votes ${when}`, ms, rounds }
  }
  return { what: rounds > ROUNDS_MAX ? `a height takes ${rounds} rounds` : undefined, ms, rounds }
}

/** Runs every so many-th state on in a good network, once with each behaviour of the Byzantine members. */
export const createSampling = (network: Network, every: number): Sampling => {
  const behaviours = network.world.scope.byzantine.length === 0 ? (['silent'] as const) : BEHAVIOURS
  const cases = behaviours.flatMap(behaviour => WEATHERS.map(weather => ({ behaviour, weather })))
  let [rests, slowestMs, roundsMax] = [0, 0, 0]
  let stall: Stall | undefined
  return {
    take: (tuple, state) => {
      if (state % every !== 0) return false
      for (const { behaviour, weather } of cases) {
        const { what, ms, rounds } = runRest(network, tuple, behaviour, weather)
        rests++
        roundsMax = Math.max(roundsMax, rounds)
        slowestMs = Math.max(slowestMs, ms)
        if (what !== undefined) stall ??= { what, behaviour, weather, state }
      }
      return stall !== undefined
    },
    progress: () => ({ rests, slowestMs, roundsMax, stall }),
  }
}
