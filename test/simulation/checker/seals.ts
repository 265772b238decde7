import type { Block } from '../../../core/block/block.ts'
import { decodeExtraData } from '../../../core/block/codec/extraData.ts'
import { qbftSealHash } from '../../../core/block/codec/blockHash.ts'
import { sealSigner } from '../../../core/block/codec/seal.ts'
import { toBareHex } from '../../../core/bytes/hex.ts'
import { quorumOf } from './arithmetic.ts'
import type { Height } from './justification.ts'

/** A final block has seals of a quorum of validators, each of another one, and none beside ("validFinalizedBlock"). */
export const faultInSeals = ({ validators }: Height, { header }: Block): string | undefined => {
  const names = new Set(validators.map(toBareHex))
  const digest = qbftSealHash(header)
  const signers = new Set<string>()
  for (const seal of decodeExtraData(header.extraData).seals) {
    const signer = sealSigner(digest, seal)
    if (signer === undefined || !names.has(toBareHex(signer))) return 'a seal by none of the validators'
    if (signers.has(toBareHex(signer))) return 'two seals of one validator'
    signers.add(toBareHex(signer))
  }
  const quorum = quorumOf(validators.length)
  return signers.size < quorum ? `${signers.size} seals, a quorum is ${quorum}` : undefined
}
