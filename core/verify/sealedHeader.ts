import { type Address, equalBytes, type Hash } from '../bytes/bytes.ts'
import { toHex } from '../bytes/hex.ts'
import type { Header } from '../block/header.ts'
import { qbftBlockHash } from '../block/codec/blockHash.ts'
import { InvalidBlock } from '../chain/rules/invalidBlock.ts'
import { qbftExtraDataOf } from '../chain/rules/qbft.ts'
import { commitSeals } from '../chain/rules/seals.ts'
import { includesAddress } from '../validators/votes.ts'

/**
 * Verifies that a quorum of the validators sealed a header. A QBFT block with such seals is final: the network never has
 * another block with its number.
 * @param validators the set that governs the block, from a trusted source
 * @returns the on-chain hash
 * @throws InvalidBlock
 */
export const verifySealedHeader = (header: Header, validators: readonly Address[]): Hash => {
  const extraData = qbftExtraDataOf(header)
  if (!includesAddress(validators, header.coinbase))
    throw new InvalidBlock(header, 'coinbase-validator', 'a validator', toHex(header.coinbase))
  commitSeals({ header, extraData, validators })
  return qbftBlockHash(header)
}

/** True when `verifySealedHeader` does not throw InvalidBlock. */
export const isSealedBy = (header: Header, validators: readonly Address[]): boolean => {
  try {
    verifySealedHeader(header, validators)
    return true
  } catch (error) {
    if (error instanceof InvalidBlock) return false
    throw error
  }
}

/** True when a header lists exactly these validators; in contract mode headers list none. */
export const listsValidators = (header: Header, validators: readonly Address[]): boolean => {
  const listed = qbftExtraDataOf(header).validators
  return (
    listed.length === validators.length &&
    listed.every((address, index) => equalBytes(address, validators[index] as Address))
  )
}
