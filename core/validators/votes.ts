import { type Address, compareBytes, equalBytes } from '../bytes/bytes.ts'
import type { Vote } from '../chain/codec/extraData.ts'

/** A vote that still counts: the last one of its voter on its recipient. */
export type Ballot = Vote & { readonly voter: Address }

/**
 * The validators after some block, with the votes that have not yet decided anything. There are at most as many ballots
 * as blocks since the last epoch block.
 */
export type VoteTally = {
  /** Ascending. */
  readonly validators: readonly Address[]
  readonly ballots: readonly Ballot[]
}

/** In ascending order, each once: genesis files list validators in any order. */
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
  ballots: [],
})

/** Votes that decide in a set of this size: more than half. */
export const voteLimit = (validators: number): number => Math.floor(validators / 2) + 1

/**
 * The tally with one more vote, which replaces the voter's earlier one on the same recipient. Both sides are counted,
 * whichever it was for: an earlier majority may have come about because the set shrank.
 */
export const applyVote = (tally: VoteTally, voter: Address, vote: Vote): VoteTally => {
  const { recipient, type } = vote
  const onOthers = tally.ballots.filter(ballot => !equalBytes(ballot.recipient, recipient))
  const onRecipient: readonly Ballot[] = [
    ...tally.ballots.filter(
      ballot => equalBytes(ballot.recipient, recipient) && !equalBytes(ballot.voter, voter),
    ),
    { recipient, type, voter },
  ]
  const limit = voteLimit(tally.validators.length)
  const adds = onRecipient.filter(ballot => ballot.type === 'add').length
  if (adds >= limit)
    return { validators: sortValidators([...tally.validators, recipient]), ballots: onOthers }
  if (onRecipient.length - adds >= limit)
    return {
      validators: tally.validators.filter(validator => !equalBytes(validator, recipient)),
      ballots: onOthers.filter(ballot => !equalBytes(ballot.voter, recipient)),
    }
  return { validators: tally.validators, ballots: [...onOthers, ...onRecipient] }
}

/** The same validators with no vote outstanding: what an epoch block leaves. */
export const clearVotes = (tally: VoteTally): VoteTally => ({ validators: tally.validators, ballots: [] })

/** The voter's outstanding vote on the recipient. */
export const outstandingVote = (
  tally: VoteTally,
  voter: Address,
  recipient: Address,
): Vote['type'] | undefined =>
  tally.ballots.find(ballot => equalBytes(ballot.voter, voter) && equalBytes(ballot.recipient, recipient))
    ?.type
