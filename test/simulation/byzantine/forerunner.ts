import { type Attack, everySoOften, othersOf, roundChangeOf, sendTo } from './attacker.ts'

const EVERY_MS = 200
const ROUND = 1_000

/** Does nothing but ask one of the others, or all, for a round far ahead. */
export const forerunner: Attack = attacker => {
  const { plain, node, random } = attacker
  const isToOne = random.chance(0.5)
  everySoOften(attacker, EVERY_MS, () => {
    const others = othersOf(attacker)
    const at = { sequence: node.disk.chain.head().header.number + 1n, round: ROUND }
    sendTo(attacker, isToOne ? others.slice(0, 1) : others, roundChangeOf(attacker, at, undefined, undefined))
  })
  return { ...plain, send: () => undefined }
}
