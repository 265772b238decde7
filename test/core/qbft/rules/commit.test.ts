import { expect, test } from 'bun:test'
import { bigintToFixedBytes, bytesToBigint } from '../../../../core/bytes/integer.ts'
import { SECP256K1_ORDER } from '../../../../core/crypto/recovery.ts'
import { encodeCommitPayload } from '../../../../core/qbft/codec/commit.ts'
import { proposalDigest, withRound } from '../../../../core/qbft/codec/roundOfBlock.ts'
import { QBFT_CODES, type SignedCommit } from '../../../../core/qbft/message.ts'
import { commitRule } from '../../../../core/qbft/rules/commit.ts'
import { signPayload } from '../../../../core/qbft/signatures.ts'
import { VALIDATORS } from '../../chain/support/keys.ts'
import { BLOCK, BLOCK_OF_ROUND_ONE, commitBy, DIGEST, signer } from '../codec/messages.ts'

const [V0, V1] = VALIDATORS
const judged = (signed: SignedCommit, block = BLOCK): string | undefined =>
  commitRule(signed, block, proposalDigest(block))?.reason
const withSeal = (commitSeal: Uint8Array): SignedCommit => {
  const payload = { sequence: 1n, round: 0, digest: DIGEST, commitSeal }
  return signPayload(QBFT_CODES.commit, payload, encodeCommitPayload(payload), signer(V0))
}

test('a commit with its author’s seal over the block passes, in any round', () => {
  expect(judged(commitBy(V0).signed)).toBeUndefined()
  expect(
    judged(commitBy(V1, { block: BLOCK_OF_ROUND_ONE, round: 1 }).signed, BLOCK_OF_ROUND_ONE),
  ).toBeUndefined()
})

test('the seal is over the commit’s round, whatever round the block was proposed with', () => {
  expect(judged(commitBy(V0, { round: 3 }).signed)).toBeUndefined()
})

test('a commit of another proposal is refused', () => {
  expect(judged(commitBy(V0, { block: BLOCK_OF_ROUND_ONE }).signed)).toBe('wrong-digest')
  expect(judged(commitBy(V0, { block: withRound(BLOCK, 1) }).signed)).toBe('wrong-digest')
})

test('a commit seal over a different hash than the committed header is refused', () => {
  expect(judged(withSeal(signer(V0)(new Uint8Array(32))))).toBe('bad-seal')
  expect(judged(withSeal(signer(V0)(proposalDigest(withRound(BLOCK, 1)))))).toBe('bad-seal')
  expect(judged(withSeal(new Uint8Array(65)))).toBe('bad-seal')
})

test('the seal of another validator is refused', () => {
  expect(judged(commitBy(V0, { sealer: V1 }).signed)).toBe('bad-seal')
})

test('a seal with a high s may stand, as in blocks', () => {
  const seal = signer(V0)(DIGEST)
  seal.set(bigintToFixedBytes(SECP256K1_ORDER - bytesToBigint(seal.subarray(32, 64)), 32), 32)
  seal[64] = 1 - (seal[64] as number)
  expect(judged(withSeal(seal))).toBeUndefined()
})

test('a commit that nobody signed is refused', () => {
  const { signed } = commitBy(V0)
  expect(judged({ ...signed, signature: new Uint8Array(65) })).toBe('bad-signature')
})
