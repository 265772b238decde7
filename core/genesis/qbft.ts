import type { Address } from '../bytes/bytes.ts'
import type { QbftParameters, QbftTransition } from './configuration.ts'
import { GenesisError } from './error.ts'
import type { QbftConsensus } from './schedule.ts'
import {
  address,
  addressOf,
  elementsOf,
  type Entry,
  entryOf,
  int,
  long,
  numberText,
  positiveInt,
  quantityOf,
  type Section,
  sectionOf,
  string,
  stringOf,
  subsection,
} from './section.ts'

const EPOCH_LENGTH = 30_000n
const BLOCK_PERIOD_SECONDS = 1
const REQUEST_TIMEOUT_SECONDS = 1

const blockReward = (section: Section): bigint | undefined => {
  const entry = entryOf(section, 'blockReward')
  if (entry === undefined) return undefined
  if (numberText(entry).startsWith('-'))
    throw new GenesisError('INVALID_VALUE', entry.path, 'Bft Block reward in config cannot be negative')
  return quantityOf(entry, 256)
}

/** Absent keeps what is in force; blank pays the proposer. */
const miningBeneficiary = (
  section: Section,
  where: 'config' | 'transition config',
  inherited: Address | undefined,
): Address | undefined => {
  const entry = entryOf(section, 'miningBeneficiary')
  if (entry === undefined) return inherited
  if (stringOf(entry).trim() === '') return undefined
  return addressOf(entry, `Mining beneficiary in ${where} is not a valid ethereum address`)
}

const emptyBlockPeriod = (section: Section): number | undefined => {
  const named = entryOf(section, 'emptyBlockPeriodSeconds')
  const experimental = entryOf(section, 'xEmptyBlockPeriodSeconds')
  if (named !== undefined && experimental !== undefined)
    throw new GenesisError('CONTRADICTION', named.path, `given twice, also as ${experimental.path}: keep one`)
  return int(section, 'emptyBlockPeriodSeconds') ?? int(section, 'xEmptyBlockPeriodSeconds')
}

/** What a genesis section and a transition may both set; what is absent stays as it is. */
const withPeriods = (section: Section, inherited: QbftParameters): QbftParameters => {
  const gasLimit = entryOf(section, 'perTxGasLimit')
  if (gasLimit !== undefined)
    throw new GenesisError(
      'UNSUPPORTED',
      gasLimit.path,
      'a gas limit for each transaction is not supported: remove it',
    )
  return {
    ...inherited,
    blockPeriodSeconds: positiveInt(section, 'blockPeriodSeconds') ?? inherited.blockPeriodSeconds,
    blockPeriodMs: int(section, 'xBlockPeriodMilliseconds') ?? inherited.blockPeriodMs,
    emptyBlockPeriodSeconds: emptyBlockPeriod(section) ?? inherited.emptyBlockPeriodSeconds,
    blockReward: blockReward(section) ?? inherited.blockReward,
  }
}

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
    miningBeneficiary: miningBeneficiary(section, 'config', undefined),
    validatorSelection:
      contract === undefined ? { mode: 'blockheader' } : { mode: 'contract', address: contract },
  })
}

const validatorsOf = (section: Section): readonly Address[] | undefined => {
  const entry = entryOf(section, 'validators')
  if (entry === undefined) return undefined
  return elementsOf(entry).map(element => {
    if (typeof element.value !== 'string')
      throw new GenesisError('INVALID_VALUE', element.path, 'Bft Validator fork does not contain a string')
    return addressOf(element)
  })
}

const NO_VALIDATORS =
  'QBFT transition to blockheader mode requires a validators list containing at least one validator'

const selectionOf = (
  section: Section,
  inherited: QbftParameters['validatorSelection'],
): QbftParameters['validatorSelection'] => {
  const contract = address(section, 'validatorContractAddress')
  const mode = string(section, 'validatorSelectionMode')?.toLowerCase()
  // Besu reads the address only where the mode is spelled out, and passes over any other mode.
  if (mode === 'blockheader') {
    if (entryOf(section, 'validators') === undefined)
      throw new GenesisError('INVALID_VALUE', section.path, NO_VALIDATORS)
    return { mode: 'blockheader' }
  }
  if (mode !== 'contract') return inherited
  if (contract !== undefined) return { mode: 'contract', address: contract }
  if (inherited.mode === 'contract') return inherited
  throw new GenesisError(
    'INVALID_VALUE',
    section.path,
    'QBFT transition has config with contract mode but no contract address',
  )
}

const blockOf = (section: Section): bigint => {
  const block = long(section, 'block')
  if (block === undefined)
    throw new GenesisError(
      'INVALID_VALUE',
      section.path,
      'Fork block not specified for Bft fork in custom forks',
    )
  if (block === 0n)
    throw new GenesisError('INVALID_VALUE', section.path, 'Transition cannot be created for genesis block')
  return block
}

const parseTransition = (section: Section, inherited: QbftParameters): QbftTransition => {
  const validators = validatorsOf(section)
  if (validators?.length === 0) throw new GenesisError('INVALID_VALUE', section.path, NO_VALIDATORS)
  const parameters: QbftParameters = {
    ...withPeriods(section, inherited),
    miningBeneficiary: miningBeneficiary(section, 'transition config', inherited.miningBeneficiary),
    validatorSelection: selectionOf(section, inherited.validatorSelection),
  }
  return { block: blockOf(section), parameters, validators }
}

const transitionSection = (entry: Entry): Section => {
  if (typeof entry.value !== 'object' || entry.value === null || Array.isArray(entry.value))
    throw new GenesisError('INVALID_VALUE', entry.path, 'Transition is illegally formatted.')
  return sectionOf(entry)
}

const parseTransitions = (config: Section, parameters: QbftParameters): readonly QbftTransition[] => {
  const transitions = subsection(config, 'transitions')
  const entry = transitions === undefined ? undefined : entryOf(transitions, 'qbft')
  if (entry === undefined) return []
  const sections = elementsOf(entry)
    .map(transitionSection)
    .map(section => ({ section, block: blockOf(section) }))
    .sort((a, b) => (a.block < b.block ? -1 : Number(a.block > b.block)))
  const parsed: QbftTransition[] = []
  for (const { section, block } of sections) {
    const previous = parsed.at(-1)
    if (previous?.block === block)
      throw new GenesisError(
        'CONTRADICTION',
        section.path,
        'Duplicate transitions cannot be created for the same block',
      )
    parsed.push(parseTransition(section, previous?.parameters ?? parameters))
  }
  return parsed
}

/** `config.qbft` with `config.transitions.qbft`, everything inherited filled in. @throws GenesisError */
export const parseQbft = (config: Section, section: Section): QbftConsensus => {
  if ((long(section, 'startBlock') ?? 0n) > 0n)
    throw new GenesisError(
      'UNSUPPORTED',
      entryOf(section, 'startBlock')?.path ?? section.path,
      'a migration from IBFT to QBFT is not supported yet: found a chain that begins with QBFT',
    )
  const parameters = parseParameters(section)
  return { kind: 'qbft', parameters, transitions: parseTransitions(config, parameters), startBlock: 0n }
}

/** Settings of transitions that Besu reads without a word and passes over. */
export const qbftWarnings = (config: Section): readonly string[] => {
  const transitions = subsection(config, 'transitions')
  const entry = transitions === undefined ? undefined : entryOf(transitions, 'qbft')
  if (entry === undefined) return []
  return elementsOf(entry)
    .map(sectionOf)
    .filter(
      section =>
        entryOf(section, 'validatorContractAddress') !== undefined &&
        string(section, 'validatorSelectionMode')?.toLowerCase() !== 'contract',
    )
    .map(
      section =>
        `${section.path}: validatorContractAddress has no effect without validatorSelectionMode "contract"`,
    )
}
