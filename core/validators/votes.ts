import { type Address, compareBytes, equalBytes } from '../bytes/bytes.ts'
import type { Vote } from '../block/codec/extraData.ts'

/** A pending vote: the voter's latest on its recipient. */
type CastVote = Vote & { readonly voter: Address }

/** The validators after a block, with the pending votes: at most one for each block since the last epoch block. */
export type VoteTally = {
  /** Ascending. */
  readonly validators: readonly Address[]
  readonly votes: readonly CastVote[]
}

/** The validators ascending, without duplicates: genesis files list validators in any order. */
export const sortValidators = (validators: readonly Address[]): readonly Address[] =>
  validators.toSorted(compareBytes).filter((validator, index, sorted) => {
    const before = sorted[index - 1]
    return before === undefined || !equalBytes(before, validator)
  })

export const includesAddress = (addresses: readonly Address[], address: Address): boolean =>
  addresses.some(other => equalBytes(other, address))

/** A tally without votes. */
export const newTally = (validators: readonly Address[]): VoteTally => ({
  validators: sortValidators(validators),
  votes: [],
})

/** The number of votes that decide in a set of this size: more than half. */
export const votesNeeded = (validators: number): number => Math.floor(validators / 2) + 1

/**
 * Adds a vote, which replaces the voter's earlier one on the same recipient. Counts both sides, because a smaller set may
 * have turned earlier votes into a majority.
 */
export const applyVote = (tally: VoteTally, voter: Address, vote: Vote): VoteTally => {
  const { recipient, type } = vote
  const onOthers = tally.votes.filter(vote => !equalBytes(vote.recipient, recipient))
  const onRecipient: readonly CastVote[] = [
    ...tally.votes.filter(vote => equalBytes(vote.recipient, recipient) && !equalBytes(vote.voter, voter)),
    { recipient, type, voter },
  ]
  const limit = votesNeeded(tally.validators.length)
  const adds = onRecipient.filter(vote => vote.type === 'add').length
  if (adds >= limit) return { validators: sortValidators([...tally.validators, recipient]), votes: onOthers }
  if (onRecipient.length - adds >= limit)
    return {
      validators: tally.validators.filter(validator => !equalBytes(validator, recipient)),
      votes: onOthers.filter(vote => !equalBytes(vote.voter, recipient)),
    }
  return { validators: tally.validators, votes: [...onOthers, ...onRecipient] }
}

/** Clears the votes, as an epoch block does. */
export const clearVotes = (tally: VoteTally): VoteTally => ({ validators: tally.validators, votes: [] })

/** The voter's pending vote on the recipient. */
export const pendingVote = (tally: VoteTally, voter: Address, recipient: Address): Vote['type'] | undefined =>
  tally.votes.find(vote => equalBytes(vote.voter, voter) && equalBytes(vote.recipient, recipient))?.type
