import { ValidatorContractError } from '../../../core/validators/validatorContract.ts'
import { ibft2History, type ValidatorRole, validatorRole } from '../../consensus/validatorRole.ts'
import type { RunningNode } from '../runningNode.ts'

/**
 * The role of this node in the block after the head. A node whose next validators cannot be read serves reads, so that it
 * can say why no block comes.
 */
export const roleOf = async (
  { chain, key }: Pick<RunningNode, 'chain' | 'key'>,
  connects: boolean,
): Promise<ValidatorRole> => {
  if (chain.configuration.consensus.kind !== 'qbft')
    return { makesBlocks: false, text: 'This chain is not QBFT: this node serves reads and makes no blocks' }
  const next = chain.head().header.number + 1n
  const history = ibft2History(chain.configuration.consensus, next)
  if (history !== undefined) return { makesBlocks: false, text: `This node makes no blocks yet: ${history}` }
  try {
    return validatorRole(await chain.validators(next), key.address, connects)
  } catch (error) {
    if (!(error instanceof ValidatorContractError)) throw error
    const text = `This node makes no blocks: the validators of block ${next} cannot be read: ${error.message}`
    return { makesBlocks: false, text }
  }
}
