import type { Header } from '../../../core/block/header.ts'
import type { ChainConfiguration } from '../../../core/genesis/configuration.ts'

/**
 * Whether a beacon chain takes over at some total difficulty (EIP-3675). Blocks are then shown without the total difficulty, which
 * has lost its meaning, as in the execution-apis; elsewhere with it, as in Besu.
 */
export const hasBeaconChain = ({ consensus }: ChainConfiguration): boolean =>
  consensus.kind === 'ethash' && consensus.terminalTotalDifficulty !== undefined

/**
 * Whether a block on the chain is final. A QBFT block is: a quorum of validators sealed it. So is an imported one of proof of
 * stake, which has no difficulty (EIP-3675).
 */
export const hasFinality = (configuration: ChainConfiguration, { difficulty }: Header): boolean =>
  configuration.consensus.kind === 'qbft' || (difficulty === 0n && hasBeaconChain(configuration))
