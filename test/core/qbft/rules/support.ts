import { fromHex } from '../../../../core/bytes/hex.ts'
import type { Block } from '../../../../core/block/block.ts'
import type { Header } from '../../../../core/block/header.ts'
import { addressOfPrivateKey } from '../../../../core/crypto/crypto.ts'
import { proposalDigest, withRound } from '../../../../core/qbft/codec/roundOfBlock.ts'
import type { PreparedMetadata } from '../../../../core/qbft/message.ts'
import type { RuleContext } from '../../../../core/qbft/rules/rule.ts'
import type { Key } from '../../chain/support/keys.ts'
import { BLOCK } from '../codec/messages.ts'

/** The requested number of validators, not ordered by address. */
export const validatorKeys = (count: number): readonly Key[] =>
  Array.from({ length: count }, (_, index) => {
    const privateKey = fromHex((0x2000 + index).toString(16).padStart(64, '0'))
    return { privateKey, address: addressOfPrivateKey(privateKey) }
  })

export const contextOf = (keys: readonly Key[]): RuleContext => ({
  validators: keys.map(({ address }) => address),
  sequence: 1n,
})

export const withHeader = (block: Block, header: Partial<Header>): Block => ({
  ...block,
  header: { ...block.header, ...header },
})

/** A block of that validator and round. */
export const blockOf = (key: Key, round = 0): Block =>
  withRound(
    withHeader(BLOCK, { coinbase: key.address, timestamp: BLOCK.header.timestamp + BigInt(round) }),
    round,
  )

/** Proves that the block was prepared in the round. */
export const preparedIn = (round: number, block: Block): PreparedMetadata => ({
  round,
  digest: proposalDigest(withRound(block, round)),
})
