import type { Address } from '../../bytes/bytes.ts'
import { toBareHex } from '../../bytes/hex.ts'
import { quorumOf } from '../../validators/quorum.ts'
import { includesAddress } from '../../validators/votes.ts'
import { qbftSealHash } from '../../block/codec/blockHash.ts'
import { sealSigner } from '../../block/codec/seal.ts'
import type { Header } from '../../block/header.ts'
import type { HeaderRule, QbftHeaderContext } from './context.ts'
import { InvalidBlock } from './invalidBlock.ts'

const known = new WeakMap<Header, readonly (Address | undefined)[]>()

/**
 * Tells who made this header's seals, in their order, undefined for a seal by no key: recovered ahead by somebody who is to be
 * believed. The rule still judges them.
 */
export const rememberSealSigners = (header: Header, signers: readonly (Address | undefined)[]): void =>
  void known.set(header, signers)

/**
 * §6.1 rule 9: every seal is one validator's over the proposal digest, no validator's twice, and they are a quorum. One
 * foreign seal spoils the block. Ends at the first seal that may not be there, so no more are recovered than there are
 * validators, and one.
 */
export const commitSeals: HeaderRule<QbftHeaderContext> = ({ header, extraData, validators }) => {
  const digest = qbftSealHash(header)
  const recovered = known.get(header)
  const signers = new Set<string>()
  for (const [index, seal] of extraData.seals.entries()) {
    const signer = recovered === undefined ? sealSigner(digest, seal) : recovered[index]
    if (signer === undefined || !includesAddress(validators, signer))
      throw new InvalidBlock(
        header,
        'seal-signer',
        `seals by the ${validators.length} validators alone`,
        signer === undefined ? `seal ${index} by no key` : `seal ${index} by 0x${toBareHex(signer)}`,
      )
    const name = toBareHex(signer)
    if (signers.has(name))
      throw new InvalidBlock(header, 'seal-duplicate', 'one seal of a validator', `a second one of 0x${name}`)
    signers.add(name)
  }
  const quorum = quorumOf(validators.length)
  if (validators.length === 0 || signers.size < quorum)
    throw new InvalidBlock(
      header,
      'seal-quorum',
      `at least ${quorum} seals of ${validators.length} validators`,
      String(signers.size),
    )
}
