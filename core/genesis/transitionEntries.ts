import { toHex } from '../bytes/hex.ts'
import { keccak256 } from '../crypto/crypto.ts'
import type { QbftParameters } from './configuration.ts'
import type { QbftConsensus } from './schedule.ts'

type Entries = Record<string, string>

/** Transitions told one by one; the later ones together as a hash, so that what nodes tell each other stays small. */
const TRANSITIONS_MAX = 64

/** What transitions can change, by the names of the file. The beneficiary is empty where the proposer is paid. */
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

/** What each transition changes; one that says again what is in force anyway is as good as none. */
export const transitionEntries = ({ parameters, transitions }: QbftConsensus): Entries => {
  const entries: Entries = {}
  const later: Entries = {}
  let inForce = parameters
  for (const [index, transition] of transitions.entries()) {
    const prefix = `transitions.qbft[block ${transition.block}]`
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
