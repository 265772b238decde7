import { equalBytes } from '../../bytes/bytes.ts'
import { toHex } from '../../bytes/hex.ts'
import type { QbftParameters } from '../../genesis/configuration.ts'
import { includesAddress } from '../../validators/votes.ts'
import { QBFT_MIX_HASH } from '../../block/codec/blockHash.ts'
import { DecodeError } from '../../block/codec/error.ts'
import { decodeExtraData, type QbftExtraData } from '../../block/codec/extraData.ts'
import type { Header } from '../../block/header.ts'
import type { HeaderRule, QbftHeaderContext } from './context.ts'
import * as forkFields from './forkFields.ts'
import * as common from './header.ts'
import { InvalidBlock, requireSameBytes, requireSameNumber } from './invalidBlock.ts'
import { commitSeals } from './seals.ts'

/** What the clocks of two validators may differ by; a proposer rounds to the nearest second. */
const FUTURE_SECONDS_MAX = 1n

type QbftRule = HeaderRule<QbftHeaderContext>

/** @throws InvalidBlock when the extraData is not QBFT's */
export const qbftExtraDataOf = (header: Header): QbftExtraData => {
  try {
    return decodeExtraData(header.extraData)
  } catch (cause) {
    if (!(cause instanceof DecodeError)) throw cause
    const expected = 'RLP of vanity, validators, vote, round and seals'
    throw new InvalidBlock(header, 'extra-data', expected, cause.message, { cause })
  }
}

/** §6.1 rule 5, also after Paris. */
const mixHash: QbftRule = ({ header }) => requireSameBytes(header, 'mix-hash', QBFT_MIX_HASH, header.mixHash)

/** §6.1 rule 6. */
const difficulty: QbftRule = ({ header }) => requireSameNumber(header, 'difficulty', 1n, header.difficulty)

const list = (addresses: readonly Uint8Array[]): string => `[${addresses.map(toHex).join(', ')}]`

/** §6.1 rule 7: extraData lists the set that governs the block, ascending; nothing in contract mode. */
const validatorList: QbftRule = ({ header, parameters, validators, extraData }) => {
  const expected = parameters.validatorSelection.mode === 'contract' ? [] : validators
  const listed = extraData.validators
  const same =
    listed.length === expected.length &&
    listed.every((address, index) => equalBytes(address, expected[index] as Uint8Array))
  if (!same) throw new InvalidBlock(header, 'validators', list(expected), list(listed))
}

/** §6.1 rule 7, second half: where a contract selects the validators nobody votes. */
const noVoteInContractMode: QbftRule = ({ header, parameters, extraData }) => {
  const { vote } = extraData
  if (parameters.validatorSelection.mode !== 'contract' || vote === undefined) return
  const found = `a vote to ${vote.type} ${toHex(vote.recipient)}`
  throw new InvalidBlock(header, 'vote-in-contract-mode', 'no vote', found)
}

/** §6.1 rule 8. */
const coinbaseIsValidator: QbftRule = ({ header, validators }) => {
  if (!includesAddress(validators, header.coinbase))
    throw new InvalidBlock(header, 'coinbase-validator', `one of ${list(validators)}`, toHex(header.coinbase))
}

/** Whole seconds that lie at least between two blocks; 0 for a sub-second period, which timestamps cannot tell. */
export const spacingSeconds = ({ blockPeriodMs, blockPeriodSeconds }: QbftParameters): number =>
  blockPeriodMs > 0 ? Math.floor(blockPeriodMs / 1000) : blockPeriodSeconds

/** §6.1 rule 10. */
const spacing: QbftRule = ({ header, parent, parameters }) => {
  const seconds = BigInt(spacingSeconds(parameters))
  if (seconds === 0n) return
  const earliest = parent.header.timestamp + seconds
  if (header.timestamp < earliest)
    throw new InvalidBlock(header, 'timestamp-spacing', `at least ${earliest}`, String(header.timestamp))
}

const BEFORE_TIME: readonly QbftRule[] = [
  common.gasUsedLimit,
  common.gasLimitRange,
  common.gasLimitStep,
  common.baseFeePresence,
  common.baseFeeValue,
  forkFields.withdrawalsRootPresence,
  forkFields.blobFieldsPresence,
  forkFields.blobGasLimit,
  forkFields.excessBlobGas,
  forkFields.qbftTrailingFields,
]

const BEFORE_SEALS: readonly QbftRule[] = [
  mixHash,
  difficulty,
  validatorList,
  noVoteInContractMode,
  coinbaseIsValidator,
]

/**
 * The rules of QBFT block import in the order Besu applies them, with the fields of later forks behind the gas limit. Left
 * out as there: nonce, vanity, whose turn it was to propose, and whether the round fits the proposer; finality is the
 * quorum of seals alone.
 */
export const QBFT_HEADER_RULES: readonly QbftRule[] = [
  ...BEFORE_TIME,
  common.notFromTheFuture(FUTURE_SECONDS_MAX),
  ...BEFORE_SEALS,
  commitSeals,
  spacing,
]

/** What holds for a block that another validator proposes: all of it but the seals. */
export const QBFT_PROPOSAL_HEADER_RULES: readonly QbftRule[] = [
  ...BEFORE_TIME,
  common.notFromTheFuture(FUTURE_SECONDS_MAX),
  ...BEFORE_SEALS,
  spacing,
]

/** What holds for a block before anybody has sealed it. */
export const QBFT_UNSEALED_HEADER_RULES: readonly QbftRule[] = [...BEFORE_TIME, ...BEFORE_SEALS, spacing]
