import { createNetwork, type Tuple } from '../explore/network.ts'
import { explore, type Limits, type Result } from '../explore/explore.ts'
import { shortened, storyOf } from '../explore/story.ts'
import { walk } from '../explore/walk.ts'
import { createSampling, type Progress } from '../progress/progress.ts'
import { parseScope } from '../scope.ts'

/** One exploration of a plan. Plain data, because processes pass it on. */
export type Item = {
  /** Bounds as options. */
  readonly bounds: string
  /** Seed of random walks; undefined to explore everything. */
  readonly seed: number | undefined
  readonly limits: Limits
  /** Every so many-th state is run on in a good network; 0 for none. */
  readonly progressEvery: number
  readonly isNaive: boolean
}

export type Report = {
  readonly item: Item
  readonly result: Omit<Result, 'violation'>
  readonly progress: Progress | undefined
  /** A violation of safety, as a story. */
  readonly story: string | undefined
}

/** Steps of the longest random walk: three rounds of five validators take some sixty. */
const WALK_LENGTH_MAX = 80

export const runItem = (item: Item): Report => {
  const scope = parseScope(item.bounds)
  const network = createNetwork(scope)
  const sampling = item.progressEvery === 0 ? undefined : createSampling(network, item.progressEvery)
  const onState =
    sampling === undefined
      ? {}
      : { onState: (tuple: Tuple, state: number): boolean => sampling.take(tuple, state) }
  const { violation, ...result } =
    item.seed === undefined
      ? explore(network, { limits: item.limits, isNaive: item.isNaive, ...onState })
      : walk(network, { seed: item.seed, lengthMax: WALK_LENGTH_MAX, limits: item.limits, ...onState })
  return {
    item,
    result,
    progress: sampling?.progress(),
    story: violation === undefined ? undefined : storyOf(scope, shortened(scope, violation)),
  }
}

const count = (number: number): string => number.toLocaleString('en')

/** True when a rule of safety is broken, or somebody does not get on. */
export const isFailed = ({ story, progress }: Report): boolean =>
  story !== undefined || progress?.stall !== undefined

export const reportText = ({ item, result, progress, story }: Report): string => {
  const { states, transitions, depth, isComplete, locals, runs, cpuSeconds, memoryMb } = result
  const how =
    item.seed !== undefined
      ? `walks of seed ${item.seed}`
      : isComplete
        ? 'complete'
        : story === undefined
          ? 'stopped at a limit'
          : 'violated'
  const lines = [
    `${item.bounds === '' ? '(default bounds)' : item.bounds}: ${how}`,
    `  ${count(states)} states, ${count(transitions)} steps between them, depth ${depth}; ${count(locals)} local states,` +
      ` ${count(runs)} runs of the machine; ${cpuSeconds.toFixed(1)} s of CPU, ${memoryMb} MB`,
  ]
  if (progress !== undefined)
    lines.push(
      `  ${count(progress.rests)} good rests, the slowest in ${progress.slowestMs} ms of virtual time, at most round ${progress.roundsMax}`,
    )
  if (progress?.stall !== undefined) {
    const { what, behaviour, weather, state } = progress.stall
    lines.push(`  STALL from state ${state}, liar ${behaviour}, messages ${weather}: ${what}`)
  }
  if (story !== undefined) lines.push('', story, '')
  return lines.join('\n')
}
