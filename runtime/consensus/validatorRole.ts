import { type Address, equalBytes } from '../../core/bytes/bytes.ts'
import { toHex } from '../../core/bytes/hex.ts'
import type { QbftConsensus } from '../../core/genesis/qbftSchedule.ts'
import { quorumOf } from '../../core/validators/quorum.ts'

/** The role of this node in the next block, with its log line. */
export type ValidatorRole = { readonly makesBlocks: boolean; readonly text: string }

/** Why no node of this kind makes the block; undefined from the first block of QBFT on. */
export const ibft2History = (
  { startBlock }: Pick<QbftConsensus, 'startBlock'>,
  block: bigint,
): string | undefined =>
  block < startBlock
    ? `blocks before ${startBlock} are those of IBFT 2.0, which this node imports and does not make: nodes that run IBFT 2.0 have to make them`
    : undefined

/** `connects` is false without a network. */
export const validatorRole = (
  validators: readonly Address[],
  address: Address,
  connects: boolean,
): ValidatorRole => {
  const own = toHex(address)
  const count = validators.length
  if (!validators.some(validator => equalBytes(validator, address)))
    return {
      makesBlocks: false,
      text: `This node (${own}) is not ${count === 1 ? 'the validator' : `one of the ${count} validators`}: it follows the chain and makes no blocks`,
    }
  if (count === 1) return { makesBlocks: true, text: `This node (${own}) is the validator` }
  const quorum = quorumOf(count)
  if (!connects)
    return {
      makesBlocks: false,
      text: `This node (${own}) is one of ${count} validators and cannot reach the quorum of ${quorum} alone: --p2p-enabled connects it with the others`,
    }
  return {
    makesBlocks: true,
    text: `This node (${own}) is one of ${count} validators; a quorum of ${quorum} makes blocks`,
  }
}
