import type { Item } from './item.ts'

const MANY_STATES = 50_000_000

const exhaustive = (bounds: string, seconds: number, progressEvery = 0): Item => ({
  bounds,
  seed: undefined,
  limits: { states: MANY_STATES, seconds },
  progressEvery,
  isNaive: false,
})

const random = (bounds: string, seed: number, seconds: number, progressEvery = 0): Item => ({
  bounds,
  seed,
  limits: { states: MANY_STATES, seconds },
  progressEvery,
  isNaive: false,
})

/** About a minute on two cores. */
export const QUICK: readonly Item[] = [
  exhaustive('--byzantine=3', 40, 400),
  exhaustive('--crashes=1 --records=any', 20),
  exhaustive('--byzantine=0 --values=1 --commits --rounds=1', 20),
  exhaustive('--byzantine=3 --crashes=1 --values=1 --rounds=1', 20, 100),
  random('--byzantine=0 --odd --commits --early', 1, 15),
]

/** Everything of two rounds without a crash, one round with one, and samples of the rest: within ten minutes on two cores. */
export const DEFAULT: readonly Item[] = [
  exhaustive('', 120, 1000),
  exhaustive('--byzantine=0', 120, 500),
  exhaustive('--byzantine=1', 120, 500),
  exhaustive('--byzantine=3', 120, 500),
  exhaustive('--crashes=1 --rounds=1', 60, 50),
  exhaustive('--crashes=1 --records=any', 150),
  exhaustive('--crashes=1 --byzantine=3 --values=1 --rounds=1', 60, 100),
  exhaustive('--crashes=1 --byzantine=3 --values=1', 120, 200),
  exhaustive('--byzantine=0 --rounds=1 --commits --early', 60, 200),
  exhaustive('--rounds=1 --heights=2 --commits --change=leaves --byzantine=3 --values=1', 60),
  random('--byzantine=0 --rounds=3 --odd --commits --early --slow', 1, 30, 200),
  random('--byzantine=2 --crashes=1 --rounds=3 --commits', 2, 30, 200),
  random('--validators=5 --byzantine=0 --rounds=3 --commits', 3, 30, 500),
  random('--validators=6 --byzantine=1 --rounds=3 --commits', 4, 30, 500),
  random('--validators=7 --byzantine=0,1 --rounds=3 --commits', 5, 30, 500),
  random('--heights=2 --change=joins --byzantine=0 --commits --crashes=1 --victim=2', 6, 30, 200),
]

/** Explorations that take hours, each with its own limit, then walks of ever new seeds. */
export const deepPlan = (seeds: number): readonly Item[] => {
  const hour = 3600
  const wide = [
    ...DEFAULT.filter(({ seed }) => seed === undefined).map(item => ({
      ...item,
      limits: { ...item.limits, seconds: hour },
    })),
    exhaustive('--byzantine=0 --rounds=3 --values=1', 4 * hour, 5000),
    exhaustive('--byzantine=1 --rounds=3 --values=1', 4 * hour, 5000),
    exhaustive('--byzantine=0 --crashes=1 --victim=1', 4 * hour, 5000),
    exhaustive('--byzantine=0 --crashes=1 --victim=2', 4 * hour, 5000),
    exhaustive('--crashes=2 --records=any', 4 * hour, 5000),
    exhaustive('--byzantine=0 --commits --early --odd', 4 * hour, 5000),
    exhaustive('--validators=5 --byzantine=0', 4 * hour, 5000),
  ]
  const walked = DEFAULT.filter(item => item.seed !== undefined)
  return [
    ...wide,
    ...Array.from({ length: seeds }, (_, index) =>
      walked.map(item => ({
        ...item,
        seed: 100 * index + (item.seed as number),
        limits: { ...item.limits, seconds: 600 },
      })),
    ).flat(),
  ]
}
