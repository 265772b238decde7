import { equalBytes } from '../../bytes/bytes.ts'
import { toHex } from '../../bytes/hex.ts'
import type { QbftParameters } from '../../genesis/configuration.ts'
import { includesAddress } from '../../validators/votes.ts'
import { QBFT_MIX_HASH } from '../../block/codec/blockHash.ts'
import { DecodeError } from '../../block/codec/error.ts'
import { extraDataOf, type QbftExtraData } from '../../block/codec/extraData.ts'
import type { Header } from '../../block/header.ts'
import type { HeaderRule, QbftHeaderContext } from './context.ts'
import * as forkFields from './forkFields.ts'
import { GAS_AND_FORK_RULES } from './gasAndForks.ts'
import * as common from './header.ts'
import { InvalidBlock, requireSameBytes, requireSameNumber } from './invalidBlock.ts'
import { commitSeals } from './seals.ts'

/** Tolerated difference of two validators' clocks; a proposer rounds to the nearest second. */
const FUTURE_SECONDS_MAX = 1n

type QbftRule = HeaderRule<QbftHeaderContext>

/** @throws InvalidBlock when the extraData cannot be decoded */
export const qbftExtraDataOf = (header: Header): QbftExtraData => {
  try {
    return extraDataOf(header)
  } catch (cause) {
    if (!(cause instanceof DecodeError)) throw cause
    const expected = 'RLP of vanity, validators, vote, round and seals'
    throw new InvalidBlock(header, 'extra-data', expected, cause.message, { cause })
  }
}

/** Blocks before the first one of QBFT are IBFT 2.0's, which writes the extraData otherwise. */
const extraDataEncoding: QbftRule = ({ configuration: { consensus }, header, extraData }) => {
  const isIbft2 = consensus.kind === 'qbft' && header.number < consensus.startBlock
  if (isIbft2 === (extraData.encoding === 'ibft2')) return
  const [expected, found] = isIbft2 ? ['IBFT 2.0', 'QBFT'] : ['QBFT', 'IBFT 2.0']
  throw new InvalidBlock(header, 'extra-data-encoding', expected, found)
}

/** IBFT 2.0 requires a nonce of zero. */
const ibft2Nonce: QbftRule = ({ header, extraData }) => {
  if (extraData.encoding === 'ibft2') requireSameBytes(header, 'nonce', common.ZERO_NONCE, header.nonce)
}

/** The fixed mix hash of QBFT, also from Paris on. */
const mixHash: QbftRule = ({ header }) => requireSameBytes(header, 'mix-hash', QBFT_MIX_HASH, header.mixHash)

const difficulty: QbftRule = ({ header }) => requireSameNumber(header, 'difficulty', 1n, header.difficulty)

const list = (addresses: readonly Uint8Array[]): string => `[${addresses.map(toHex).join(', ')}]`

/** The extraData lists the set that governs the block, ascending; none in contract mode. */
const validatorList: QbftRule = ({ header, parameters, validators, extraData }) => {
  const expected = parameters.validatorSelection.mode === 'contract' ? [] : validators
  const listed = extraData.validators
  const same =
    listed.length === expected.length &&
    listed.every((address, index) => equalBytes(address, expected[index] as Uint8Array))
  if (!same) throw new InvalidBlock(header, 'validators', list(expected), list(listed))
}

/** A block has no vote when a contract selects the validators. */
const noVoteInContractMode: QbftRule = ({ header, parameters, extraData }) => {
  const { vote } = extraData
  if (parameters.validatorSelection.mode !== 'contract' || vote === undefined) return
  const found = `a vote to ${vote.type} ${toHex(vote.recipient)}`
  throw new InvalidBlock(header, 'vote-in-contract-mode', 'no vote', found)
}

const coinbaseIsValidator: QbftRule = ({ configuration, header, validators }) => {
  if (configuration.anyHeaderValues === true) return
  if (!includesAddress(validators, header.coinbase))
    throw new InvalidBlock(header, 'coinbase-validator', `one of ${list(validators)}`, toHex(header.coinbase))
}

/** Minimum whole seconds between two blocks; 0 for a sub-second period, which timestamps cannot express. */
export const spacingSeconds = ({ blockPeriodMs, blockPeriodSeconds }: QbftParameters): number =>
  blockPeriodMs > 0 ? Math.floor(blockPeriodMs / 1000) : blockPeriodSeconds

const spacing: QbftRule = ({ header, parent, parameters }) => {
  const seconds = BigInt(spacingSeconds(parameters))
  if (seconds === 0n) return
  const earliest = parent.header.timestamp + seconds
  if (header.timestamp < earliest)
    throw new InvalidBlock(header, 'timestamp-spacing', `at least ${earliest}`, String(header.timestamp))
}

const BEFORE_TIME: readonly QbftRule[] = [...GAS_AND_FORK_RULES, forkFields.qbftTrailingFields]

const BEFORE_SEALS: readonly QbftRule[] = [
  extraDataEncoding,
  mixHash,
  difficulty,
  ibft2Nonce,
  validatorList,
  noVoteInContractMode,
  coinbaseIsValidator,
]

/**
 * The rules of QBFT block import in Besu's order, with the fields of later forks after the gas limit. As in Besu, the nonce
 * of a QBFT block, vanity and the proposer's turn in the round are not checked: a quorum of seals alone makes a block final.
 */
export const QBFT_HEADER_RULES: readonly QbftRule[] = [
  ...BEFORE_TIME,
  common.notFromTheFuture(FUTURE_SECONDS_MAX),
  ...BEFORE_SEALS,
  commitSeals,
  spacing,
]

/** The rules for another validator's proposal: all but the seals. */
export const QBFT_PROPOSAL_HEADER_RULES: readonly QbftRule[] = [
  ...BEFORE_TIME,
  common.notFromTheFuture(FUTURE_SECONDS_MAX),
  ...BEFORE_SEALS,
  spacing,
]

/** The rules for a block of this validator before it is proposed. */
export const QBFT_UNSEALED_HEADER_RULES: readonly QbftRule[] = [...BEFORE_TIME, ...BEFORE_SEALS, spacing]
