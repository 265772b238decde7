import { equalBytes } from '../../bytes/bytes.ts'
import { undecidedProposal } from '../actions/commit.ts'
import { noteLateSignature, noteSignature } from '../actions/evidence.ts'
import type { CommitMessage, PrepareMessage } from '../message.ts'
import { currentRound, noVotes } from '../actions/rounds.ts'
import type { HeightState, Votes } from '../state.ts'
import { drop, keyOf, type TransitionContext } from '../transitionContext.ts'
import type { From } from './from.ts'

/** Later rounds for which votes of one author are kept: a validator is usually in one round, seldom in two. */
export const FUTURE_ROUNDS_PER_AUTHOR_MAX = 4

type Vote = PrepareMessage | CommitMessage

/** Adds the vote unless its author has a vote of the kind: the first one counts. */
export const withVote = <Of extends Votes>(votes: Of, vote: Vote, key: string): Of => {
  if (vote.kind === 'prepare')
    return votes.prepares.has(key) ? votes : { ...votes, prepares: new Map([...votes.prepares, [key, vote]]) }
  return votes.commits.has(key) ? votes : { ...votes, commits: new Map([...votes.commits, [key, vote]]) }
}

const keepForRound = (
  context: TransitionContext,
  height: HeightState,
  vote: Vote,
  from: From,
): HeightState => {
  const { round } = vote.signed.payload
  const key = keyOf(from.author)
  const kept = height.futureVotes.get(round)
  const rounds = [...height.futureVotes.values()].filter(
    votes => votes.prepares.has(key) || votes.commits.has(key),
  )
  const isIn = kept !== undefined && (kept.prepares.has(key) || kept.commits.has(key))
  if (!isIn && rounds.length >= FUTURE_ROUNDS_PER_AUTHOR_MAX) {
    drop(context, 'far-future-round', from, `${vote.kind} of round ${round}`)
    return height
  }
  const votes = withVote(kept ?? noVotes, vote, key)
  return { ...height, futureVotes: new Map([...height.futureVotes, [round, votes]]) }
}

/**
 * Common handling of prepares and commits. Returns the height with the vote noted, and `isCountable` if the caller should
 * check and count it now: the round is current and open, and the proposal is known. Votes before the proposal are kept
 * unchecked.
 */
export const receiveVote = (
  context: TransitionContext,
  height: HeightState,
  vote: Vote,
  from: From,
): { readonly height: HeightState; readonly isCountable: boolean } => {
  const { round, digest } = vote.signed.payload
  const current = currentRound(height)
  if (height.importing !== undefined || round < current) {
    drop(context, 'past-round', from, `${vote.kind} of round ${round}`)
    return { height: noteLateSignature(context, height, vote, from), isCountable: false }
  }
  if (height.round === undefined || round > current)
    return { height: keepForRound(context, height, vote, from), isCountable: false }
  const noted = noteSignature(context, height.round, vote, from)
  const next = { ...height, round: noted }
  const accepted = undecidedProposal(next)
  if (accepted === undefined)
    return { height: { ...next, round: withVote(noted, vote, keyOf(from.author)) }, isCountable: false }
  if (equalBytes(digest, accepted.proposal.digest)) return { height: next, isCountable: true }
  drop(context, 'wrong-digest', from, `${vote.kind} of round ${round}`)
  return { height: next, isCountable: false }
}
