import type { Address } from '../bytes/bytes.ts'
import { decodeExtraData, type Vote } from '../chain/codec/extraData.ts'
import type { Header } from '../chain/header.ts'
import { type QbftConsensus, validatorOverrideAt } from '../genesis/schedule.ts'
import { applyVote, clearVotes, newTally, type VoteTally } from './votes.ts'

/** What of a block counts for the validator set. */
export type VotingBlock = {
  readonly number: bigint
  /** The block's coinbase. */
  readonly proposer: Address
  readonly vote: Vote | undefined
}

/** @throws DecodeError when the extraData is not QBFT's */
export const votingBlock = (header: Pick<Header, 'number' | 'coinbase' | 'extraData'>): VotingBlock => ({
  number: header.number,
  proposer: header.coinbase,
  vote: decodeExtraData(header.extraData).vote,
})

/** The block that epochs are counted from. */
const epochOrigin = (consensus: Pick<QbftConsensus, 'startBlock'>): bigint =>
  consensus.startBlock === 0n ? 0n : consensus.startBlock - 1n

/** True where all votes are cleared and the block's own is ignored; block 0 is one on a chain that begins with QBFT. */
export const isEpochBlock = (
  consensus: Pick<QbftConsensus, 'startBlock' | 'parameters'>,
  number: bigint,
): boolean => {
  const origin = epochOrigin(consensus)
  return number >= origin && (number - origin) % consensus.parameters.epochLength === 0n
}

/**
 * The tally after a block, which governs the next one, from the tally after its parent. Where a transition sets the
 * validators of the next block they replace what was tallied so far; the block's own vote is applied on top even then.
 */
export const tallyAfter = (consensus: QbftConsensus, before: VoteTally, block: VotingBlock): VoteTally => {
  const override = validatorOverrideAt(consensus, block.number + 1n)
  const tally = override === undefined ? before : newTally(override)
  if (isEpochBlock(consensus, block.number)) return clearVotes(tally)
  return block.vote === undefined ? tally : applyVote(tally, block.proposer, block.vote)
}

/**
 * Where to begin when the tally after block `number` must be found from headers alone: at the returned block, whose own
 * list in extraData (or, where `validators` is set, that list) is the tally to start from; then `tallyAfter` for that
 * block and every one up to `number`.
 */
export const tallyOrigin = (
  consensus: QbftConsensus,
  number: bigint,
): { readonly block: bigint; readonly validators: readonly Address[] | undefined } => {
  const origin = epochOrigin(consensus)
  const epoch = number - ((number - origin) % consensus.parameters.epochLength)
  const override = consensus.transitions.findLast(
    transition => transition.validators !== undefined && transition.block <= number + 1n,
  )
  if (override === undefined || override.block - 1n < epoch) return { block: epoch, validators: undefined }
  return { block: override.block - 1n, validators: override.validators }
}
