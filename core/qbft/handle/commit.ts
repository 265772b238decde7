import { checkCommitted } from '../commit.ts'
import type { CommitMessage } from '../message.ts'
import { commitRule } from '../rules/commit.ts'
import type { HeightState } from '../state.ts'
import { drop, keyOf, type Turn } from '../turn.ts'
import type { From } from './from.ts'
import { receiveVote, withVote } from './vote.ts'

/** A commit by another validator ("validCommits"): its seal must be the author's over the proposed block. */
export const handleCommit = (
  turn: Turn,
  height: HeightState,
  message: CommitMessage,
  from: From,
): HeightState => {
  const received = receiveVote(turn, height, message, from)
  const { round } = received.height
  if (!received.isToJudge || round?.proposal === undefined) return received.height
  const { proposal } = round
  const invalid = commitRule(message.signed, proposal.message.signed.payload.block, proposal.digest)
  if (invalid !== undefined) {
    drop(turn, invalid.reason, from, invalid.detail)
    return received.height
  }
  return checkCommitted(turn, { ...received.height, round: withVote(round, message, keyOf(from.author)) })
}
