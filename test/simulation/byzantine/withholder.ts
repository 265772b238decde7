import { QBFT_CODES } from '../../../core/qbft/message.ts'
import type { Attack } from './attacker.ts'

/** Takes part until it comes to commits: nobody gets any, or one validator does, that then commits alone. */
export const withholder: Attack = ({ plain, random, world, node }) => ({
  ...plain,
  send: effect => {
    if (effect.kind === 'relay' || effect.message.code !== QBFT_CODES.commit) return plain.send(effect)
    if (effect.kind === 'broadcast' && random.chance(0.5))
      world.network.send(node, random.pick(effect.to), effect.message)
  },
})
