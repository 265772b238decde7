import { decodeMessage } from '../../../core/qbft/codec/message.ts'
import { proposalDigest, withRound } from '../../../core/qbft/codec/roundOfBlock.ts'
import { QBFT_CODES } from '../../../core/qbft/message.ts'
import { type Attack, commitOf, sendTo } from './attacker.ts'

/** Does its duty but for the seals of its commits, which are over something else. */
export const sealSpoiler: Attack = attacker => {
  const { plain, random, node } = attacker
  return {
    ...plain,
    send: effect => {
      const block = node.state()?.height?.round?.proposal?.message.signed.payload.block
      if (effect.kind !== 'broadcast' || effect.message.code !== QBFT_CODES.commit || block === undefined)
        return plain.send(effect)
      const { sequence, round } = decodeMessage(effect.message.code, effect.message.data).signed.payload
      const wrong = random.chance(0.5) ? random.bytes(32) : proposalDigest(withRound(block, round + 1))
      sendTo(attacker, effect.to, commitOf(attacker, { sequence, round }, block, wrong))
    },
  }
}
