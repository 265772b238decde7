import type { Random } from '../random.ts'

/** What befalls messages on all links. */
export type Weather = {
  readonly delayMinMs: number
  readonly delayMaxMs: number
  /** Share of messages that take a multiple of that. */
  readonly straggling: number
  readonly loss: number
  readonly duplication: number
  /** False: each link keeps the order of what it carries. */
  readonly reorders: boolean
}

export const CALM: Weather = {
  delayMinMs: 1,
  delayMaxMs: 25,
  straggling: 0,
  loss: 0,
  duplication: 0,
  reorders: true,
}

export const badWeather = (random: Random): Weather => {
  const delayMinMs = random.pick([0, 1, 20, 100])
  return {
    delayMinMs,
    delayMaxMs: delayMinMs + random.pick([10, 100, 500, 1_500]),
    straggling: random.pick([0, 0.02, 0.2]),
    loss: random.pick([0, 0, 0.01, 0.1, 0.3]),
    duplication: random.pick([0, 0.01, 0.2]),
    reorders: random.chance(0.7),
  }
}
