import { type Address, equalBytes } from '../bytes/bytes.ts'
import { toHex } from '../bytes/hex.ts'
import type { Vote } from '../block/codec/extraData.ts'
import { quorumOf } from './quorum.ts'
import { includesAddress } from './votes.ts'

/**
 * A warning for the operator when a vote would stall the chain, because too few validators are reachable, or would never be
 * cast. Undefined if there is no risk.
 */
export const voteRisk = (
  validators: readonly Address[],
  isReachable: (validator: Address) => boolean,
  { recipient, type }: Vote,
): string | undefined => {
  const isMember = includesAddress(validators, recipient)
  if (isMember === (type === 'add')) return undefined
  if (type === 'drop' && validators.length === 1)
    return `${toHex(recipient)} is the last validator: the vote to drop it is never cast`
  const after =
    type === 'add'
      ? [...validators, recipient]
      : validators.filter(validator => !equalBytes(validator, recipient))
  const reachable = after.filter(isReachable).length
  const quorum = quorumOf(after.length)
  if (reachable >= quorum) return undefined
  return `If the vote to ${type} ${toHex(recipient)} succeeds now the chain stands still: ${quorum} of then ${after.length} validators must take part, and ${reachable} of them are connected`
}
