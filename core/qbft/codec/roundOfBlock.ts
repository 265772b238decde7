import type { Hash } from '../../bytes/bytes.ts'
import type { Block } from '../../block/block.ts'
import { qbftSealHash } from '../../block/codec/blockHash.ts'
import { decodeExtraData, encodeExtraData } from '../../block/codec/extraData.ts'
import type { Seal } from '../../block/codec/seal.ts'

/**
 * Returns the block with this round and these seals in its extraData. All other fields, including the coinbase, and the
 * on-chain hash stay the same. `seals` are 65 bytes each.
 * @throws DecodeError when the extraData is not QBFT's
 */
export const withSeals = (block: Block, round: number, seals: readonly Seal[]): Block => {
  const extraData = encodeExtraData({ ...decodeExtraData(block.header.extraData), round, seals })
  return { ...block, header: { ...block.header, extraData } }
}

/**
 * Returns the block as it is proposed in the round ("replaceRoundInBlock"), without seals. Returns the same object if the
 * block already has this form, so that its hashes stay cached. @throws DecodeError as `withSeals`
 */
export const withRound = (block: Block, round: number): Block => {
  const extraData = decodeExtraData(block.header.extraData)
  return extraData.round === round && extraData.seals.length === 0 ? block : withSeals(block, round, [])
}

/** The digest of a proposed block in prepares and commits: its hash with the round in its extraData. @throws DecodeError */
export const proposalDigest = (block: Block): Hash => qbftSealHash(block.header)
