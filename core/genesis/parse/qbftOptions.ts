import type { Address } from '../../bytes/bytes.ts'
import type { QbftParameters } from '../configuration.ts'
import { GenesisError } from '../error.ts'
import {
  addressOf,
  entryOf,
  int,
  numberText,
  positiveInt,
  quantityOf,
  type Section,
  stringOf,
} from './section.ts'

const blockReward = (section: Section): bigint | undefined => {
  const entry = entryOf(section, 'blockReward')
  if (entry === undefined) return undefined
  if (numberText(entry).startsWith('-'))
    throw new GenesisError('INVALID_VALUE', entry.path, 'Bft Block reward in config cannot be negative')
  return quantityOf(entry, 256)
}

/** Absent keeps the current beneficiary; blank pays the proposer. */
export const miningBeneficiary = (
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

/** Besu's `pertxgaslimit` (26.7.0), formerly `pertxgaslimitcap`. */
const perTxGasLimit = (section: Section): bigint | undefined => {
  const named = entryOf(section, 'perTxGasLimit')
  const older = entryOf(section, 'perTxGasLimitCap')
  if (named !== undefined && older !== undefined)
    throw new GenesisError('CONTRADICTION', named.path, `given twice, also as ${older.path}: keep one`)
  const entry = named ?? older
  return entry === undefined ? undefined : quantityOf(entry, 63)
}

/** The settings that both a genesis section and a transition may have; absent ones stay unchanged. */
export const withPeriods = (section: Section, inherited: QbftParameters): QbftParameters => ({
  ...inherited,
  perTxGasLimit: perTxGasLimit(section) ?? inherited.perTxGasLimit,
  blockPeriodSeconds: positiveInt(section, 'blockPeriodSeconds') ?? inherited.blockPeriodSeconds,
  blockPeriodMs: int(section, 'xBlockPeriodMilliseconds') ?? inherited.blockPeriodMs,
  emptyBlockPeriodSeconds: emptyBlockPeriod(section) ?? inherited.emptyBlockPeriodSeconds,
  blockReward: blockReward(section) ?? inherited.blockReward,
})
