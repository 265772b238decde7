import type { ChainConfiguration } from '../../../core/genesis/configuration.ts'
import type { Forks } from '../../network.ts'

const ascending = (values: readonly bigint[]): readonly bigint[] =>
  [...new Set(values)].sort((a, b) => (a < b ? -1 : 1))

/**
 * The forks that count for the fork id, by Besu's list, and with `isQuorum` by GoQuorum's: those of the genesis file, at most
 * once each; those in force at the genesis block count for nothing. Transitions of QBFT do not count.
 * @param genesisTimestamp in seconds
 */
export const forksOf = (
  {
    forks,
    daoForkBlock,
    goQuorumForkBlocks = [],
  }: Pick<ChainConfiguration, 'forks' | 'daoForkBlock' | 'goQuorumForkBlocks'>,
  genesisTimestamp: bigint,
): Forks => {
  const blocks = forks.flatMap(({ at }) => (at.kind === 'block' ? [at.number] : []))
  const times = forks.flatMap(({ at }) => (at.kind === 'time' ? [at.timestamp] : []))
  const dao = daoForkBlock === undefined ? [] : [daoForkBlock]
  return {
    blocks: ascending([...blocks, ...dao, ...goQuorumForkBlocks].filter(number => number > 0n)),
    times: ascending(times.filter(timestamp => timestamp > genesisTimestamp)),
  }
}
