import type { QbftParameters } from './configuration.ts'
import { GenesisError } from './error.ts'
import { parseMessaging } from './messaging.ts'
import { miningBeneficiary, withPeriods } from './qbftOptions.ts'
import type { QbftConsensus } from './schedule.ts'
import { address, entryOf, int, long, type Section } from './section.ts'
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
export const checkPerTxGasLimits = (
  { parameters, transitions }: QbftConsensus,
  blockGasLimit: bigint,
): void => {
  const check = (path: string, { perTxGasLimit }: QbftParameters): void => {
    if (perTxGasLimit === undefined || perTxGasLimit <= blockGasLimit) return
    throw new GenesisError(
      'INVALID_VALUE',
      `${path}.pertxgaslimit`,
      `${perTxGasLimit} must be at most the gas limit of the genesis block, ${blockGasLimit}; 0 is no limit`,
    )
  }
  check('config.qbft', parameters)
  for (const { block, parameters: changed } of transitions)
    check(`config.transitions.qbft[block ${block}]`, changed)
}

/** `config.qbft` with `config.transitions.qbft`, with all inherited values. @throws GenesisError */
export const parseQbft = (config: Section, section: Section): QbftConsensus => {
  if ((long(section, 'startBlock') ?? 0n) > 0n)
    throw new GenesisError(
      'UNSUPPORTED',
      entryOf(section, 'startBlock')?.path ?? section.path,
      'a migration from IBFT to QBFT is not supported yet: start a chain with QBFT from genesis',
    )
  const parameters = parseParameters(section)
  return {
    kind: 'qbft',
    parameters,
    transitions: parseTransitions(config, parameters),
    startBlock: 0n,
    messaging: parseMessaging(section),
  }
}
