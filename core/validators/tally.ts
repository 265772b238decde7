import type { Address } from '../bytes/bytes.ts'
import { extraDataOf, type Vote } from '../block/codec/extraData.ts'
import type { Header } from '../block/header.ts'
import {
  overriddenFrom,
  type QbftConsensus,
  qbftByNumber,
  validatorOverrideAt,
} from '../genesis/qbftSchedule.ts'
import { applyVote, clearVotes, newTally, type VoteTally } from './votes.ts'

/** The fields of a block that determine the validator set. */
type VotingBlock = {
  readonly number: bigint
  /** The block's coinbase. */
  readonly proposer: Address
  readonly vote: Vote | undefined
}

/** @throws DecodeError when the extraData is not QBFT's */
export const votingBlock = (header: Pick<Header, 'number' | 'coinbase' | 'extraData'>): VotingBlock => ({
  number: header.number,
  proposer: header.coinbase,
  vote: extraDataOf(header).vote,
})

/**
 * The last block at or before `number` that starts an epoch. Epochs are counted from block 0 and, on a chain that moves
 * from IBFT 2.0 to QBFT, again from the last block of IBFT 2.0 (Besu's `EpochManager`).
 */
const lastEpochBlock = (consensus: QbftConsensus, number: bigint): bigint => {
  const { startBlock, parameters } = consensus
  const isQbft = startBlock === 0n || number >= startBlock - 1n
  const origin = isQbft && startBlock > 0n ? startBlock - 1n : 0n
  const { epochLength } = isQbft ? qbftByNumber(consensus, startBlock) : parameters
  return number - ((number - origin) % epochLength)
}

/** True when the block clears all votes and its own vote is ignored; also for block 0. */
export const isEpochBlock = (consensus: QbftConsensus, number: bigint): boolean =>
  lastEpochBlock(consensus, number) === number

/**
 * Computes the tally after a block, which governs the next one, from the tally after its parent. If a transition sets the
 * validators of the next block, they replace the tally; the block's own vote is applied on top even then.
 */
export const tallyAfter = (consensus: QbftConsensus, before: VoteTally, block: VotingBlock): VoteTally => {
  const override = validatorOverrideAt(consensus, block.number + 1n)
  const tally = override === undefined ? before : newTally(override)
  if (isEpochBlock(consensus, block.number)) return clearVotes(tally)
  return block.vote === undefined ? tally : applyVote(tally, block.proposer, block.vote)
}

/**
 * Finds the block from which the tally after block `number` can be computed from headers alone: the list in its extraData
 * (or `validators`, if set) is the starting tally; then apply `tallyAfter` for that block and every one up to `number`.
 */
export const tallyOrigin = (
  consensus: QbftConsensus,
  number: bigint,
): { readonly block: bigint; readonly validators: readonly Address[] | undefined } => {
  const epoch = lastEpochBlock(consensus, number)
  const override = consensus.transitions.findLast(
    transition => transition.validators !== undefined && overriddenFrom(consensus, transition) <= number + 1n,
  )
  const before = override === undefined ? -1n : overriddenFrom(consensus, override) - 1n
  return override === undefined || before < epoch
    ? { block: epoch, validators: undefined }
    : { block: before, validators: override.validators }
}
