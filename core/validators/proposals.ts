import type { Address } from '../bytes/bytes.ts'
import type { Vote } from '../block/codec/extraData.ts'
import { includesAddress, pendingVote, type VoteTally } from './votes.ts'

/**
 * True when casting the vote now would change something: the membership of the recipient, or an opposite vote of this
 * validator.
 */
const isUsefulVote = (tally: VoteTally, voter: Address, { recipient, type }: Vote): boolean => {
  const isMember = includesAddress(tally.validators, recipient)
  // No validator would be left to produce a block or to vote for another one.
  if (type === 'drop' && isMember && tally.validators.length === 1) return false
  const cast = pendingVote(tally, voter, recipient)
  if (cast !== undefined) return cast !== type
  return type === 'add' ? !isMember : isMember
}

/**
 * The vote for a proposer's next block, chosen in turn from the useful proposals of its operator, and the position for the
 * next call.
 */
export const chooseVote = (
  proposals: readonly Vote[],
  tally: VoteTally,
  voter: Address,
  position: number,
): { readonly vote: Vote | undefined; readonly position: number } => {
  const useful = proposals.filter(proposal => isUsefulVote(tally, voter, proposal))
  if (useful.length === 0) return { vote: undefined, position }
  const next = (position + 1) % useful.length
  return { vote: useful[next], position: next }
}
