import { GenesisError } from '../error.ts'
import { entryOf, long, type Section } from './section.ts'

/** Sections of other consensus mechanisms, which are handled by their own names. */
const OTHER_CONSENSUS = ['ibft', 'ibft2', 'clique', 'ethash'] as const

const unsupported = (path: string, problem: string): GenesisError =>
  new GenesisError('UNSUPPORTED', path, problem)

/**
 * Refuses the input file of `operator generate-blockchain-config`, which contains a genesis file.
 * @throws GenesisError
 */
export const refuseOperatorInput = (root: Section): void => {
  if (entryOf(root, 'genesis') === undefined || entryOf(root, 'config') !== undefined) return
  throw unsupported(
    'genesis',
    'this is the input file of Besu’s `operator generate-blockchain-config`, not a genesis file: give the genesis.json that the command writes',
  )
}

/**
 * Refuses GoQuorum's own settings and names the replacement: `istanbul`, Raft, and transitions as a list.
 * @throws GenesisError
 */
export const refuseGoQuorumForms = (config: Section): void => {
  const transitions = entryOf(config, 'transitions')
  if (Array.isArray(transitions?.value))
    throw unsupported(
      transitions.path,
      'a list is GoQuorum’s form: write an object whose member "qbft" is the list, {"qbft": [{"block": …}]}',
    )
  if (entryOf(config, 'qbft') !== undefined) return
  const istanbul = entryOf(config, 'istanbul')
  if (istanbul !== undefined)
    throw unsupported(
      istanbul.path,
      'this is GoQuorum’s form: write a qbft section with epochlength, blockperiodseconds and requesttimeoutseconds where the chain began with QBFT; one that began with IBFT is not supported',
    )
  const quorum = entryOf(config, 'isQuorum')
  const namesConsensus = OTHER_CONSENSUS.some(key => entryOf(config, key) !== undefined)
  if (quorum?.value === true && !namesConsensus)
    throw unsupported(
      quorum.path,
      'a GoQuorum file without consensus section is one of Raft, which is not supported: use qbft',
    )
}

const CODE_SIZES = ['maxCodeSizeConfig', 'maxCodeSize'] as const

/** GoQuorum settings that Besu and this node ignore. */
export const goQuorumWarnings = (config: Section): readonly string[] =>
  CODE_SIZES.flatMap(key => {
    const entry = entryOf(config, key)
    return entry === undefined
      ? []
      : [`${entry.path}: has no effect, it is GoQuorum's; contractSizeLimit sets how large code may be`]
  })

/** GoQuorum's keys of block numbers that Besu does not count as forks (GoQuorum `params.ChainConfig`). */
const GOQUORUM_FORKS = [
  'eip155Block',
  'maxCodeSizeChangeBlock',
  'privacyEnhancementsBlock',
  'privacyPrecompileBlock',
  'enableGasPriceBlock',
] as const

/** True for a file of a network with GoQuorum. */
export const isQuorum = (config: Section): boolean => entryOf(config, 'isQuorum')?.value === true

/** The block numbers of GoQuorum's own forks; undefined unless `isQuorum` is true. @throws GenesisError */
export const goQuorumForkBlocks = (config: Section): readonly bigint[] | undefined =>
  isQuorum(config) ? GOQUORUM_FORKS.flatMap(key => long(config, key) ?? []) : undefined
