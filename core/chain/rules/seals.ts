import type { Address } from '../../bytes/bytes.ts'
import { toBareHex } from '../../bytes/hex.ts'
import { quorumOf } from '../../validators/quorum.ts'
import { includesAddress } from '../../validators/votes.ts'
import { qbftSealHash } from '../../block/codec/blockHash.ts'
import { sealSigner } from '../../block/codec/seal.ts'
import type { Header } from '../../block/header.ts'
import type { HeaderRule, QbftHeaderContext } from './context.ts'
import { InvalidBlock } from './invalidBlock.ts'

/**
 * Recovers the signers of each header's seals in order, undefined for an invalid seal. The list of a header is undefined
 * when the rule must recover them itself.
 */
export type RecoverSeals = (
  headers: readonly Header[],
) => Promise<readonly (readonly (Address | undefined)[] | undefined)[]>

const known = new WeakMap<Header, readonly (Address | undefined)[]>()

/**
 * Stores the signers of this header's seals in their order, undefined for an invalid seal, which a trusted caller has
 * recovered. The rule still checks the signers.
 */
export const rememberSealSigners = (header: Header, signers: readonly (Address | undefined)[]): void =>
  void known.set(header, signers)

/** The signers of this header's seals in their order, where they were recovered since the start; undefined otherwise. */
export const knownSealSigners = (header: Header): readonly (Address | undefined)[] | undefined =>
  known.get(header)

/**
 * Each seal is a signature of the proposal digest by a different validator, and the seals are a quorum. A seal of any other
 * address makes the block invalid. Stops at the first invalid seal, so that at most one more seal is recovered than there
 * are validators.
 */
export const commitSeals: HeaderRule<Pick<QbftHeaderContext, 'header' | 'extraData' | 'validators'>> = ({
  header,
  extraData,
  validators,
}) => {
  const digest = qbftSealHash(header)
  const recovered = known.get(header)
  const found: Address[] = []
  const signers = new Set<string>()
  for (const [index, seal] of extraData.seals.entries()) {
    const signer = recovered === undefined ? sealSigner(digest, seal) : recovered[index]
    if (signer === undefined || !includesAddress(validators, signer))
      throw new InvalidBlock(
        header,
        'seal-signer',
        `only seals of the ${validators.length} validators`,
        signer === undefined ? `invalid seal ${index}` : `seal ${index} by 0x${toBareHex(signer)}`,
      )
    const name = toBareHex(signer)
    if (signers.has(name))
      throw new InvalidBlock(
        header,
        'seal-duplicate',
        'one seal of each validator',
        `a second seal of 0x${name}`,
      )
    signers.add(name)
    found.push(signer)
  }
  const quorum = quorumOf(validators.length)
  if (validators.length === 0 || signers.size < quorum)
    throw new InvalidBlock(
      header,
      'seal-quorum',
      `at least ${quorum} seals of ${validators.length} validators`,
      String(signers.size),
    )
  if (recovered === undefined) rememberSealSigners(header, found)
}
