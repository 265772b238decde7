import { equalBytes } from '../bytes/bytes.ts'
import type { Block } from '../chain/block.ts'
import { qbftBlockHash, qbftSealHash } from '../chain/codec/blockHash.ts'
import type { Steps } from '../steps.ts'
import { acceptProposal } from './accept.ts'
import { broadcastInRound } from './broadcast.ts'
import { withRound } from './codec/roundOfBlock.ts'
import type { ProposalMessage, RoundChangeMessage } from './message.ts'
import { signProposal } from './own.ts'
import { lowestRound } from './recall.ts'
import { currentRound, proposerIn } from './rounds.ts'
import type { HeightState, RoundState } from './state.ts'
import { ask, isSelf, type Turn } from './turn.ts'
import { requestVerdict, verdictOn, withVerdict } from './verdicts.ts'

/** True when this validator proposes in the current round and has not. */
const isToPropose = (turn: Turn, height: HeightState): boolean => {
  const { round, signed } = height
  if (round === undefined || round.proposal !== undefined || round.candidate !== undefined) return false
  if (lowestRound(height) > round.round || (signed.round === round.round && signed.proposed !== undefined))
    return false
  const proposer = proposerIn(height, round.round)
  return proposer !== undefined && isSelf(turn, proposer)
}

/** Round changes for the current round, in the order they came. */
const roundChangesOf = (height: HeightState): readonly RoundChangeMessage[] =>
  [...height.roundChanges.values()].filter(({ signed }) => signed.payload.round === currentRound(height))

/** The one with the highest prepared round ("highestPrepared"); undefined when nobody was prepared. */
const highestPrepared = (roundChanges: readonly RoundChangeMessage[]): RoundChangeMessage | undefined => {
  let best: RoundChangeMessage | undefined
  for (const candidate of roundChanges) {
    const { prepared } = candidate.signed.payload
    if (prepared !== undefined && prepared.round > (best?.signed.payload.prepared?.round ?? -1))
      best = candidate
  }
  return best
}

/**
 * Seconds. Round 0 takes the nearest one, as Besu does, so that a timer that fires a little early keeps the spacing; later
 * rounds the one that has begun. Never earlier than the spacing rule lets it be.
 */
const timestampOf = ({ head }: HeightState, round: number, nowMs: number): bigint => {
  const now = BigInt(round === 0 ? Math.round(nowMs / 1000) : Math.floor(nowMs / 1000))
  const earliest = head.timestamp + BigInt(head.spacingSeconds)
  return now > earliest ? now : earliest
}

/**
 * Proposes the block in the current round, with what justifies it, and takes the proposal itself. All of a block, which may
 * be of megabytes, is encoded, hashed and encoded in a message: it yields between them.
 */
function* propose(turn: Turn, height: HeightState, unstamped: Block): Steps<HeightState> {
  const { round } = height
  if (round === undefined || !isToPropose(turn, height)) return height
  const block = withRound(unstamped, round.round)
  const made = yield* signProposal(turn, height, round.round, block)
  if (made === undefined) return height
  yield
  const { justification } = round
  const message: ProposalMessage = {
    kind: 'proposal',
    signed: made.signed,
    roundChanges: justification.map(({ signed }) => signed),
    prepares: highestPrepared(justification)?.prepares ?? [],
  }
  const { address } = turn.environment
  const told = broadcastInRound(turn, made.height, message)
  yield
  return acceptProposal(turn, told, {
    message,
    author: address,
    peer: address,
    digest: qbftSealHash(block.header),
    hash: qbftBlockHash(block.header),
  })
}

/**
 * What the proposer of the current round begins with: the block of the best certificate, else a new one. The round changes
 * that this is decided by are those that justify it, whatever comes while the block is made or verified: one more could tell
 * of a better certificate, and one for a later round takes the place of its author's.
 */
export function* beginProposal(turn: Turn, before: HeightState): Steps<HeightState> {
  if (before.round === undefined || !isToPropose(turn, before)) return before
  const justification = before.round.round === 0 ? [] : roundChangesOf(before)
  const round: RoundState = { ...before.round, justification }
  const height: HeightState = { ...before, round }
  const block = highestPrepared(justification)?.block
  if (block === undefined) {
    const timestamp = timestampOf(height, round.round, turn.nowMs)
    ask(turn, { kind: 'build-block', sequence: height.sequence, round: round.round, timestamp })
    return height
  }
  const hash = qbftBlockHash(block.header)
  const verdict = verdictOn(height, hash)
  if (verdict?.state === 'valid') return yield* propose(turn, height, block)
  if (verdict?.state === 'invalid') return height
  return requestVerdict(turn, { ...height, round: { ...round, toPropose: block } }, block, hash)
}

/** A block that this node built, for the round it was asked for. */
export const proposeBuilt = (turn: Turn, height: HeightState, block: Block): Steps<HeightState> =>
  propose(turn, withVerdict(height, qbftBlockHash(block.header), { state: 'valid' }), block)

/** The block of a certificate, now that it is verified. */
export function* proposeVerified(turn: Turn, height: HeightState, hash: Uint8Array): Steps<HeightState> {
  const block = height.round?.toPropose
  return block === undefined || !equalBytes(qbftBlockHash(block.header), hash)
    ? height
    : yield* propose(turn, height, block)
}
