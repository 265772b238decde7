import type { Block } from '../../../core/block/block.ts'
import { decodeExtraData } from '../../../core/block/codec/extraData.ts'
import { withSeals } from '../../../core/qbft/codec/roundOfBlock.ts'
import type { Random } from '../random.ts'

/** What an attacker gives to one that catches up: the block, or one that is not final, or another one. */
export const spoiledBlock = (block: Block, random: Random): Block => {
  const { round, seals } = decodeExtraData(block.header.extraData)
  switch (random.below(4)) {
    case 0:
      return block
    case 1:
      // One seal in place of another: as many as before, of too few validators.
      return withSeals(block, round, [...seals.slice(1), ...seals.slice(-1)])
    case 2:
      return withSeals(block, round, seals.slice(0, Math.floor((2 * seals.length) / 3)))
    default:
      return { ...block, header: { ...block.header, timestamp: block.header.timestamp + 1n } }
  }
}
