import { equalBytes } from '../../bytes/bytes.ts'
import { deciding } from '../commit.ts'
import { noteLateSignature, noteSignature } from '../evidence.ts'
import type { CommitMessage, PrepareMessage } from '../message.ts'
import { currentRound, noVotes } from '../rounds.ts'
import type { HeightState, Votes } from '../state.ts'
import { drop, keyOf, type Turn } from '../turn.ts'
import type { From } from './from.ts'

/** Rounds ahead of the current one that votes of one author are kept for: a validator is in one, seldom two at a time. */
export const FUTURE_ROUNDS_PER_AUTHOR_MAX = 4

type Vote = PrepareMessage | CommitMessage

/** With the vote, unless its author gave one of the kind before: the first one counts. */
export const withVote = <Of extends Votes>(votes: Of, vote: Vote, key: string): Of => {
  if (vote.kind === 'prepare')
    return votes.prepares.has(key) ? votes : { ...votes, prepares: new Map([...votes.prepares, [key, vote]]) }
  return votes.commits.has(key) ? votes : { ...votes, commits: new Map([...votes.commits, [key, vote]]) }
}

const keepForRound = (turn: Turn, height: HeightState, vote: Vote, from: From): HeightState => {
  const { round } = vote.signed.payload
  const key = keyOf(from.author)
  const kept = height.futureVotes.get(round)
  const rounds = [...height.futureVotes.values()].filter(
    votes => votes.prepares.has(key) || votes.commits.has(key),
  )
  const isIn = kept !== undefined && (kept.prepares.has(key) || kept.commits.has(key))
  if (!isIn && rounds.length >= FUTURE_ROUNDS_PER_AUTHOR_MAX) {
    drop(turn, 'far-future-round', from, `${vote.kind} of round ${round}`)
    return height
  }
  const votes = withVote(kept ?? noVotes, vote, key)
  return { ...height, futureVotes: new Map([...height.futureVotes, [round, votes]]) }
}

/**
 * What prepares and commits have in common. Gives the height with the vote noted and, where it is to be judged now, true:
 * the round is the current one, still open, and the author has no vote of the kind in it. Before there is a proposal
 * votes are kept unjudged.
 */
export const receiveVote = (
  turn: Turn,
  height: HeightState,
  vote: Vote,
  from: From,
): { readonly height: HeightState; readonly isToJudge: boolean } => {
  const { round, digest } = vote.signed.payload
  const current = currentRound(height)
  if (height.importing !== undefined || round < current) {
    drop(turn, 'past-round', from, `${vote.kind} of round ${round}`)
    return { height: noteLateSignature(turn, height, vote, from), isToJudge: false }
  }
  if (height.round === undefined || round > current)
    return { height: keepForRound(turn, height, vote, from), isToJudge: false }
  const noted = noteSignature(turn, height.round, vote, from)
  const next = { ...height, round: noted }
  const accepted = deciding(next)
  if (accepted === undefined)
    return { height: { ...next, round: withVote(noted, vote, keyOf(from.author)) }, isToJudge: false }
  if (equalBytes(digest, accepted.proposal.digest)) return { height: next, isToJudge: true }
  drop(turn, 'wrong-digest', from, `${vote.kind} of round ${round}`)
  return { height: next, isToJudge: false }
}
