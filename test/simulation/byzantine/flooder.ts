import type { Address } from '../../../core/bytes/bytes.ts'
import type { QbftMessage } from '../../../core/qbft/message.ts'
import {
  type Attack,
  type Attacker,
  commitOf,
  everySoOften,
  freshBlock,
  othersOf,
  prepareOf,
  proposalOf,
  roundChangeOf,
  sendTo,
} from './attacker.ts'

const EVERY_MS = 500
const AT_ONCE = 6

const sendJunk = ({ world, node, random }: Attacker, to: Address): void =>
  world.network.send(node, to, { code: random.between(0x10, 0x17), data: random.bytes(random.below(64)) })

/** Well signed, for rounds and heights near and far, of blocks that nobody proposed. */
const anything = (attacker: Attacker): QbftMessage => {
  const { node, random } = attacker
  const height = node.disk.chain.head().header.number + 1n
  const sequence = height + BigInt(random.pick([0, 0, 0, 1, 5, 9, 1_000]))
  const round = random.pick([0, 1, 2, 3, random.below(1_000), 0x7fff_ffff])
  switch (random.below(4)) {
    case 0:
      return prepareOf(attacker, { sequence, round, digest: random.bytes(32) })
    case 1:
      return commitOf(attacker, { sequence, round }, freshBlock(attacker, 0))
    case 2:
      return proposalOf(attacker, { sequence, round }, freshBlock(attacker, 0), {
        roundChanges: [],
        prepares: [],
      })
    default:
      return roundChangeOf(attacker, { sequence, round }, undefined, undefined)
  }
}

/** Does its duty, and sends as much else as it can. */
export const flooder: Attack = attacker => {
  everySoOften(attacker, EVERY_MS, () => {
    for (let i = 0; i < AT_ONCE; i++) {
      const to = attacker.random.shuffled(othersOf(attacker))
      const some = to.slice(0, attacker.random.between(1, to.length))
      if (attacker.random.chance(0.2)) for (const address of some) sendJunk(attacker, address)
      else sendTo(attacker, some, anything(attacker))
    }
  })
  return attacker.plain
}
