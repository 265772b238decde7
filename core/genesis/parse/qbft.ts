import type { ForkActivation, QbftParameters } from '../configuration.ts'
import { GenesisError } from '../error.ts'
import { isQuorum } from './otherForms.ts'
import { parseMessaging } from './messaging.ts'
import { miningBeneficiary, withPeriods } from './qbftOptions.ts'
import { firstTimeFork, type QbftConsensus } from '../qbftSchedule.ts'
import { address, boolean, entryOf, int, long, type Section, subsection } from './section.ts'
import { sectionAt } from '../transitionEntries.ts'
import { parseTransitions } from './transitions.ts'

const EPOCH_LENGTH = 30_000n
const BLOCK_PERIOD_SECONDS = 1
const REQUEST_TIMEOUT_SECONDS = 1

const parseParameters = (section: Section): QbftParameters => {
  const epochLength = long(section, 'epochLength') ?? EPOCH_LENGTH
  if (epochLength === 0n)
    throw new GenesisError(
      'INVALID_VALUE',
      entryOf(section, 'epochLength')?.path ?? section.path,
      'Epoch length in config must be greater than zero',
    )
  const requestTimeoutSeconds = int(section, 'requestTimeoutSeconds') ?? REQUEST_TIMEOUT_SECONDS
  if (requestTimeoutSeconds === 0)
    throw new GenesisError(
      'INVALID_VALUE',
      entryOf(section, 'requestTimeoutSeconds')?.path ?? section.path,
      'the request timeout must be greater than zero',
    )
  const contract = address(section, 'validatorContractAddress')
  return withPeriods(section, {
    blockPeriodSeconds: BLOCK_PERIOD_SECONDS,
    blockPeriodMs: 0,
    emptyBlockPeriodSeconds: 0,
    epochLength,
    requestTimeoutSeconds,
    blockReward: 0n,
    perTxGasLimit: undefined,
    miningBeneficiary: miningBeneficiary(section, 'config', undefined),
    validatorSelection:
      contract === undefined ? { mode: 'blockheader' } : { mode: 'contract', address: contract },
  })
}

/** @throws GenesisError if a transaction gas limit exceeds the gas limit of the genesis block, as in Besu */
export const checkPerTxGasLimits = (consensus: QbftConsensus, blockGasLimit: bigint): void => {
  const { parameters, transitions } = consensus
  const check = (path: string, { perTxGasLimit }: QbftParameters): void => {
    if (perTxGasLimit === undefined || perTxGasLimit <= blockGasLimit) return
    throw new GenesisError(
      'INVALID_VALUE',
      `${path}.pertxgaslimit`,
      `${perTxGasLimit} must be at most the gas limit of the genesis block, ${blockGasLimit}; 0 is no limit`,
    )
  }
  check(`config.${sectionAt(consensus, 0n)}`, parameters)
  for (const { block, parameters: changed } of transitions)
    check(`config.transitions.${sectionAt(consensus, block)}[block ${block}]`, changed)
}

const startBlockOf = (section: Section, hasHistory: boolean): bigint => {
  const startBlock = long(section, 'startBlock')
  const path = entryOf(section, 'startBlock')?.path ?? section.path
  if (hasHistory && startBlock === undefined)
    throw new GenesisError(
      'INVALID_VALUE',
      path,
      'Missing QBFT startBlock config in genesis file: give the number of the first block of QBFT',
    )
  if (hasHistory && startBlock === 0n)
    throw new GenesisError(
      'INVALID_VALUE',
      path,
      'Invalid QBFT startBlock config in genesis file: it must be above 0',
    )
  if (!hasHistory && startBlock !== undefined && startBlock > 0n)
    throw new GenesisError(
      'CONTRADICTION',
      path,
      'the blocks before it need the ibft2 section of the chain: add that section, or remove startBlock',
    )
  return startBlock ?? 0n
}

/** The schedule of a chain that moves from IBFT 2.0 to QBFT at a block: both sections and their transitions in one list. */
const movedSchedule = (
  config: Section,
  ibft2: Section,
  qbft: Pick<QbftConsensus, 'parameters' | 'transitions'>,
  startBlock: bigint,
): Pick<QbftConsensus, 'parameters' | 'transitions'> => {
  const parameters: QbftParameters = {
    ...parseParameters(ibft2),
    validatorSelection: { mode: 'blockheader' },
  }
  const before = parseTransitions(config, parameters, 'ibft2').filter(({ block }) => block < startBlock)
  const started = qbft.transitions.findLast(({ block }) => block <= startBlock)
  return {
    parameters,
    transitions: [
      ...before,
      {
        block: startBlock,
        parameters: started?.parameters ?? qbft.parameters,
        validators: started?.block === startBlock ? started.validators : undefined,
      },
      ...qbft.transitions.filter(({ block }) => block > startBlock),
    ],
  }
}

/** `besuTransitionTimes` has a meaning only where forks are set by time. */
const besuTimes = (
  section: Section,
  forks: readonly ForkActivation[],
): Pick<QbftConsensus, 'besuTimesFrom'> => {
  const from = boolean(section, 'besuTransitionTimes') === true ? firstTimeFork(forks) : undefined
  return from === undefined ? {} : { besuTimesFrom: from }
}

/**
 * `config.qbft` with `config.transitions.qbft`, with all inherited values. With `config.ibft2`, the chain moves from IBFT
 * 2.0 to QBFT at `config.qbft.startBlock`. @throws GenesisError
 */
export const parseQbft = (
  config: Section,
  section: Section,
  forks: readonly ForkActivation[],
): QbftConsensus => {
  const ibft2 = subsection(config, 'ibft2')
  const startBlock = startBlockOf(section, ibft2 !== undefined)
  const parameters = parseParameters(section)
  const qbft = { parameters, transitions: parseTransitions(config, parameters) }
  return {
    kind: 'qbft',
    ...(ibft2 === undefined ? qbft : movedSchedule(config, ibft2, qbft, startBlock)),
    startBlock,
    ...besuTimes(section, forks),
    ...(isQuorum(config) ? { selectsNextBlock: true } : {}),
    messaging: parseMessaging(section),
  }
}
