import { toHex } from '../bytes/hex.ts'
import { keccak256 } from '../crypto/crypto.ts'
import type { QbftParameters } from './configuration.ts'
import type { QbftConsensus } from './qbftSchedule.ts'

type Entries = Record<string, string>

/** Transitions listed individually; later ones are combined in a hash, which bounds the size of the exchanged entries. */
const TRANSITIONS_MAX = 64

/** The settings that transitions can change, by the file's names. The beneficiary is empty if the proposer is paid. */
export const parameterEntries = (prefix: string, parameters: QbftParameters): Entries => {
  const { validatorSelection } = parameters
  return {
    [`${prefix}.blockperiodseconds`]: String(parameters.blockPeriodSeconds),
    [`${prefix}.xblockperiodmilliseconds`]: String(parameters.blockPeriodMs),
    [`${prefix}.emptyblockperiodseconds`]: String(parameters.emptyBlockPeriodSeconds),
    [`${prefix}.blockreward`]: String(parameters.blockReward),
    [`${prefix}.miningbeneficiary`]:
      parameters.miningBeneficiary === undefined ? '' : toHex(parameters.miningBeneficiary),
    ...(parameters.perTxGasLimit === undefined
      ? {}
      : { [`${prefix}.pertxgaslimit`]: String(parameters.perTxGasLimit) }),
    [`${prefix}.validatorselectionmode`]: validatorSelection.mode,
    [`${prefix}.validatorcontractaddress`]:
      validatorSelection.mode === 'contract' ? toHex(validatorSelection.address) : '',
  }
}

/** The section of `config` that rules a block: `ibft2` before the first block of QBFT. */
export const sectionAt = ({ startBlock }: QbftConsensus, block: bigint): 'ibft2' | 'qbft' =>
  block < startBlock ? 'ibft2' : 'qbft'

/** The changes of each transition; values equal to the current ones are omitted. */
export const transitionEntries = (consensus: QbftConsensus): Entries => {
  const { parameters, transitions } = consensus
  const entries: Entries = {}
  const later: Entries = {}
  let inForce = parameters
  for (const [index, transition] of transitions.entries()) {
    const prefix = `transitions.${sectionAt(consensus, transition.block)}[block ${transition.block}]`
    const into = index < TRANSITIONS_MAX ? entries : later
    const before = parameterEntries(prefix, inForce)
    for (const [name, value] of Object.entries(parameterEntries(prefix, transition.parameters)))
      if (before[name] !== value) into[name] = value
    if (transition.validators !== undefined)
      into[`${prefix}.validators`] = transition.validators.map(toHex).sort().join(',')
    inForce = transition.parameters
  }
  if (Object.keys(later).length > 0) {
    const text = JSON.stringify(later)
    entries[`transitions.qbft[after the first ${TRANSITIONS_MAX}]`] =
      `keccak256 ${toHex(keccak256(new TextEncoder().encode(text)))}`
  }
  return entries
}
