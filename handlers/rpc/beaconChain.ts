import type { ChainConfiguration } from '../../core/genesis/configuration.ts'

/**
 * Whether a beacon chain takes over at some total difficulty (EIP-3675). It sets what is final; and the total difficulty, which
 * then says nothing any more, is not told, as the execution-apis have it. Elsewhere it is, as by Besu.
 */
export const hasBeaconChain = ({ consensus }: ChainConfiguration): boolean =>
  consensus.kind === 'ethash' && consensus.terminalTotalDifficulty !== undefined
