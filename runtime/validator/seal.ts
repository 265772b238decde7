import { qbftSealHash } from '../../core/chain/codec/blockHash.ts'
import { decodeExtraData, encodeExtraData } from '../../core/chain/codec/extraData.ts'
import { sealOfSignature } from '../../core/chain/codec/seal.ts'
import type { Header } from '../../core/chain/header.ts'
import { sign } from '../../core/crypto/crypto.ts'

/** The header with one commit seal, made with the key over what QBFT seals: round kept, seals left out. */
export const sealHeader = (header: Header, privateKey: Uint8Array): Header => {
  const seal = sealOfSignature(sign(qbftSealHash(header), privateKey))
  return { ...header, extraData: encodeExtraData({ ...decodeExtraData(header.extraData), seals: [seal] }) }
}
