import { equalBytes, type Hash } from '../../bytes/bytes.ts'
import type { Block } from '../../chain/block.ts'
import { qbftBlockHash } from '../../chain/codec/blockHash.ts'
import type { Steps } from '../../steps.ts'
import { acceptProposal } from '../accept.ts'
import { proposeVerified } from '../propose.ts'
import { bodyRule } from '../rules/body.ts'
import type { HeightState } from '../state.ts'
import { drop, type Turn } from '../turn.ts'
import { requestVerdict, verdictOn, withoutVerdict, withVerdict } from '../verdicts.ts'

/** The block of this hash that the current round waits for. */
const awaited = ({ round }: HeightState, hash: Hash): Block | undefined =>
  [round?.candidate?.message.signed.payload.block, round?.toPropose].find(
    block => block !== undefined && equalBytes(qbftBlockHash(block.header), hash),
  )

/**
 * The proposal is dropped. Where the block's body is not its header's, nothing is known of the header: a block of the same
 * hash with the right body, which came in the meantime or comes later, is verified in its turn.
 */
function* handleInvalid(turn: Turn, height: HeightState, hash: Hash, why: string): Steps<HeightState> {
  const verdict = verdictOn(height, hash)
  const asked = verdict?.state === 'pending' ? verdict.block : undefined
  const isMisfit = asked !== undefined && (yield* bodyRule(asked)) !== undefined
  const judged = isMisfit
    ? withoutVerdict(height, hash)
    : withVerdict(height, hash, { state: 'invalid', why })
  const waiting = awaited(judged, hash)
  if (isMisfit && waiting !== undefined && waiting !== asked)
    return requestVerdict(turn, judged, waiting, hash)
  const { round } = judged
  if (round?.candidate === undefined || !equalBytes(round.candidate.hash, hash)) return judged
  drop(turn, 'invalid-block', round.candidate, why)
  return { ...judged, round: { ...round, candidate: undefined } }
}

/**
 * Nothing is known of the block. Where it was proposed again in a later round, which may be longer, it is verified again;
 * in the round whose time was too short nothing comes of it.
 */
export const handleUnverified = (turn: Turn, height: HeightState, hash: Hash): HeightState => {
  const verdict = verdictOn(height, hash)
  if (verdict?.state !== 'pending') return height
  const open = withoutVerdict(height, hash)
  const waiting = awaited(open, hash)
  const isLater = (height.round?.round ?? 0) > verdict.round
  return waiting !== undefined && isLater ? requestVerdict(turn, open, waiting, hash) : open
}

/** The verdict on a block: its proposal in the current round is taken or dropped. */
export function* handleVerified(
  turn: Turn,
  height: HeightState,
  hash: Hash,
  invalid: string | undefined,
): Steps<HeightState> {
  if (invalid !== undefined) return yield* handleInvalid(turn, height, hash, invalid)
  const judged = withVerdict(height, hash, { state: 'valid' })
  const candidate = judged.round?.candidate
  return candidate !== undefined && equalBytes(candidate.hash, hash)
    ? acceptProposal(turn, judged, candidate)
    : yield* proposeVerified(turn, judged, hash)
}
