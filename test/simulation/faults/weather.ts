import { badWeather, CALM } from '../link/weather.ts'
import type { World } from '../world.ts'
import { repeat } from './repeat.ts'

/** Messages are delayed, lost, duplicated and overtaken, now more, now less. */
export const startWeather = (world: World): void => {
  const random = world.random.fork('weather')
  repeat(
    world,
    () => random.between(0, 8_000),
    () => {
      world.count('weather changes')
      world.network.setWeather(random.chance(0.2) ? CALM : badWeather(random))
    },
  )
}
