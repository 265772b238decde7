import type { Header } from '../../../core/block/header.ts'
import type { ChainConfiguration } from '../../../core/genesis/configuration.ts'

/**
 * True when a beacon chain takes over at some total difficulty (EIP-3675). Blocks then have no total difficulty, as in
 * the execution-apis; on other chains they have it, as in Besu.
 */
export const hasBeaconChain = ({ consensus }: ChainConfiguration): boolean =>
  consensus.kind === 'ethash' && consensus.terminalTotalDifficulty !== undefined

/**
 * True when a block of the chain is final: a QBFT block, which a quorum of validators sealed, and an imported one of
 * proof of stake, which has no difficulty (EIP-3675).
 */
export const hasFinality = (configuration: ChainConfiguration, { difficulty }: Header): boolean =>
  configuration.consensus.kind === 'qbft' || (difficulty === 0n && hasBeaconChain(configuration))
