import { equalBytes, type Hash } from '../../bytes/bytes.ts'
import type { Block } from '../../chain/block.ts'
import { proposalDigest, withRound } from '../codec/roundOfBlock.ts'
import { QBFT_CODES, type SignedCommit } from '../message.ts'
import { authorOf, sealerOf } from '../signing.ts'
import { type Broken, broken } from './rule.ts'

/**
 * A commit to the proposed block ("validateCommit"): it names the proposal's digest, and its seal is its author's over
 * the header with the commit's round and no seals. Whether author, height and round are right is the caller's to know.
 */
export const commitRule = (signed: SignedCommit, block: Block, digest: Hash): Broken | undefined => {
  const { payload } = signed
  if (!equalBytes(payload.digest, digest)) return broken('wrong-digest', `commit of round ${payload.round}`)
  const author = authorOf(QBFT_CODES.commit, signed)
  if (author === undefined) return broken('bad-signature', 'a signature that belongs to nobody')
  const sealer = sealerOf(signed, proposalDigest(withRound(block, payload.round)))
  return sealer !== undefined && equalBytes(sealer, author)
    ? undefined
    : broken('bad-seal', `the seal of a commit of round ${payload.round} is not its author's`)
}
