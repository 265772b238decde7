import type { Address } from '../../bytes/bytes.ts'
import type { QbftParameters, QbftTransition } from '../configuration.ts'
import { GenesisError } from '../error.ts'
import { miningBeneficiary, withPeriods } from './qbftOptions.ts'
import {
  address,
  addressOf,
  elementsOf,
  type Entry,
  entryOf,
  long,
  type Section,
  sectionOf,
  string,
  subsection,
} from './section.ts'

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
  // Besu reads the address only if the mode is given, and ignores unknown modes.
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

/** The entries of `transitions` that belong to one section of `config`. */
type Mechanism = 'ibft2' | 'qbft'

const parseTransition = (
  section: Section,
  inherited: QbftParameters,
  mechanism: Mechanism,
): QbftTransition => {
  const validators = validatorsOf(section)
  if (validators?.length === 0) throw new GenesisError('INVALID_VALUE', section.path, NO_VALIDATORS)
  const parameters: QbftParameters = {
    ...withPeriods(section, inherited),
    miningBeneficiary: miningBeneficiary(section, 'transition config', inherited.miningBeneficiary),
    // IBFT 2.0 has no contract that selects the validators.
    validatorSelection:
      mechanism === 'ibft2'
        ? inherited.validatorSelection
        : selectionOf(section, inherited.validatorSelection),
  }
  return { block: blockOf(section), parameters, validators }
}

const transitionSection = (entry: Entry): Section => {
  if (typeof entry.value !== 'object' || entry.value === null || Array.isArray(entry.value))
    throw new GenesisError('INVALID_VALUE', entry.path, 'Transition is illegally formatted.')
  return sectionOf(entry)
}

/** `config.transitions.qbft` or `.ibft2` in block order, with all inherited values. @throws GenesisError */
export const parseTransitions = (
  config: Section,
  parameters: QbftParameters,
  mechanism: Mechanism = 'qbft',
): readonly QbftTransition[] => {
  const transitions = subsection(config, 'transitions')
  const entry = transitions === undefined ? undefined : entryOf(transitions, mechanism)
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
    parsed.push(parseTransition(section, previous?.parameters ?? parameters, mechanism))
  }
  return parsed
}

/**
 * Warnings about settings of a transition without effect; `byContract` is true when a contract selects the validators from
 * its block on.
 */
const ignored = (section: Section, byContract: boolean): readonly string[] => {
  const mode = entryOf(section, 'validatorSelectionMode')
  const named = string(section, 'validatorSelectionMode')?.toLowerCase()
  const warnings: string[] = []
  if (mode !== undefined && named !== 'contract' && named !== 'blockheader')
    warnings.push(`${mode.path}: has no effect, it must be "blockheader" or "contract"`)
  if (entryOf(section, 'validatorContractAddress') !== undefined && named !== 'contract')
    warnings.push(
      `${section.path}: validatorContractAddress has no effect without validatorSelectionMode "contract"`,
    )
  if (entryOf(section, 'validators') !== undefined && byContract)
    warnings.push(
      `${section.path}: validators has no effect where a contract selects them, without validatorSelectionMode "blockheader"`,
    )
  return warnings
}

/** Settings of transitions that Besu ignores silently. */
export const transitionWarnings = (
  config: Section,
  transitions: readonly QbftTransition[],
): readonly string[] => {
  const section = subsection(config, 'transitions')
  const entry = section === undefined ? undefined : entryOf(section, 'qbft')
  if (entry === undefined) return []
  const contractFrom = new Set(
    transitions
      .filter(({ parameters }) => parameters.validatorSelection.mode === 'contract')
      .map(({ block }) => block),
  )
  return elementsOf(entry)
    .map(element => sectionOf(element))
    .flatMap(transition => ignored(transition, contractFrom.has(blockOf(transition))))
}
