import type { WireMessage } from '../../../core/qbft/message.ts'
import { type Attack, everySoOften, othersOf } from './attacker.ts'

/** Messages it remembers, of all heights. */
const KEPT_MAX = 300
const EVERY_MS = 250
const AT_ONCE = 4

/** Does its duty, and repeats what it has heard, by anybody, at any later time, to anybody. */
export const replayer: Attack = attacker => {
  const { plain, random, world, node } = attacker
  const heard: WireMessage[] = []
  const remember = (message: WireMessage): void => {
    if (heard.length < KEPT_MAX) heard.push(message)
    else heard[random.below(KEPT_MAX)] = message
  }
  everySoOften(attacker, EVERY_MS, () => {
    const to = othersOf(attacker)
    if (heard.length === 0 || to.length === 0) return
    for (let i = 0; i < AT_ONCE; i++) world.network.send(node, random.pick(to), random.pick(heard))
  })
  return {
    ...plain,
    send: effect => {
      remember(effect.message)
      plain.send(effect)
    },
    receive: (message, from) => {
      remember(message)
      plain.receive(message, from)
    },
  }
}
