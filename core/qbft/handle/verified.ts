import { equalBytes, type Hash } from '../../bytes/bytes.ts'
import { acceptProposal } from '../accept.ts'
import { proposeVerified } from '../propose.ts'
import type { HeightState } from '../state.ts'
import { drop, type Turn } from '../turn.ts'
import { withVerdict } from '../verdicts.ts'

/** The verdict on a block: its proposal in the current round is taken or dropped. */
export const handleVerified = (
  turn: Turn,
  height: HeightState,
  hash: Hash,
  invalid: string | undefined,
): HeightState => {
  const judged = withVerdict(
    height,
    hash,
    invalid === undefined ? { state: 'valid' } : { state: 'invalid', why: invalid },
  )
  const { round } = judged
  const candidate = round?.candidate
  if (round === undefined) return judged
  if (candidate === undefined || !equalBytes(candidate.hash, hash))
    return invalid === undefined ? proposeVerified(turn, judged, hash) : judged
  if (invalid === undefined) return acceptProposal(turn, judged, candidate)
  drop(turn, 'invalid-block', candidate, invalid)
  return { ...judged, round: { ...round, candidate: undefined } }
}
