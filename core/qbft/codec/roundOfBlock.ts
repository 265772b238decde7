import type { Hash } from '../../bytes/bytes.ts'
import type { Block } from '../../chain/block.ts'
import { qbftSealHash } from '../../chain/codec/blockHash.ts'
import { decodeExtraData, encodeExtraData } from '../../chain/codec/extraData.ts'
import type { Seal } from '../../chain/codec/seal.ts'

/**
 * The block with the round and the seals in its extraData; everything else, its creator too, stays. The on-chain hash does
 * not change. `seals` are 65 bytes each.
 * @throws DecodeError when the extraData is not QBFT's
 */
export const withSeals = (block: Block, round: number, seals: readonly Seal[]): Block => {
  const extraData = encodeExtraData({ ...decodeExtraData(block.header.extraData), round, seals })
  return { ...block, header: { ...block.header, extraData } }
}

/**
 * The block as it is proposed in the round ("replaceRoundInBlock"), without seals; itself where it is so already, so that its
 * hashes are known. @throws DecodeError as `withSeals`
 */
export const withRound = (block: Block, round: number): Block => {
  const extraData = decodeExtraData(block.header.extraData)
  return extraData.round === round && extraData.seals.length === 0 ? block : withSeals(block, round, [])
}

/** What prepares and commits name a proposed block by ("digest"): its hash with the round it carries. @throws DecodeError */
export const proposalDigest = (block: Block): Hash => qbftSealHash(block.header)
