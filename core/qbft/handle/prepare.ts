import { checkPrepared } from '../commit.ts'
import type { PrepareMessage } from '../message.ts'
import type { HeightState } from '../state.ts'
import { keyOf, type Turn } from '../turn.ts'
import type { From } from './from.ts'
import { receiveVote, withVote } from './vote.ts'

/** A prepare by another validator ("validPrepares"). */
export const handlePrepare = (
  turn: Turn,
  height: HeightState,
  message: PrepareMessage,
  from: From,
): HeightState => {
  const received = receiveVote(turn, height, message, from)
  const { round } = received.height
  if (!received.isToJudge || round === undefined) return received.height
  return checkPrepared(turn, { ...received.height, round: withVote(round, message, keyOf(from.author)) })
}
