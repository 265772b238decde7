import { equalBytes, type Hash } from '../../bytes/bytes.ts'
import type { Block } from '../../block/block.ts'
import { proposalDigest, withRound } from '../codec/roundOfBlock.ts'
import { QBFT_CODES, type SignedCommit } from '../message.ts'
import { authorOf, sealerOf } from '../signatures.ts'
import { type RuleViolation, violation } from './rule.ts'

/**
 * A commit to the proposed block ("validateCommit"): it has the proposal's digest, and a seal of its author over the header
 * with the commit's round and without seals. The caller checks author, height and round.
 */
export const commitRule = (signed: SignedCommit, block: Block, digest: Hash): RuleViolation | undefined => {
  const { payload } = signed
  if (!equalBytes(payload.digest, digest))
    return violation('wrong-digest', `commit of round ${payload.round}`)
  const author = authorOf(QBFT_CODES.commit, signed)
  if (author === undefined)
    return violation('bad-signature', 'no address can be recovered from the signature')
  const sealer = sealerOf(signed, proposalDigest(withRound(block, payload.round)))
  return sealer !== undefined && equalBytes(sealer, author)
    ? undefined
    : violation('bad-seal', `the seal of a commit of round ${payload.round} is not its author's`)
}
