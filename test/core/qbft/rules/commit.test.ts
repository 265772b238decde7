import { expect, test } from 'bun:test'
import { bigintToFixedBytes, bytesToBigint } from '../../../../core/bytes/integer.ts'
import { SECP256K1_ORDER } from '../../../../core/crypto/recovery.ts'
import { encodeCommitPayload } from '../../../../core/qbft/codec/commit.ts'
import { proposalDigest, withRound } from '../../../../core/qbft/codec/roundOfBlock.ts'
import { QBFT_CODES, type SignedCommit } from '../../../../core/qbft/message.ts'
import { commitRule } from '../../../../core/qbft/rules/commit.ts'
import { signPayload } from '../../../support/signPayload.ts'
import { VALIDATORS } from '../../chain/support/keys.ts'
import { BLOCK, BLOCK_OF_ROUND_ONE, commitBy, DIGEST, signer } from '../codec/messages.ts'

const [V0, V1] = VALIDATORS
const judged = (signed: SignedCommit, block = BLOCK): string | undefined =>
  commitRule(signed, block, proposalDigest(block))?.reason
const withSeal = (commitSeal: Uint8Array): SignedCommit => {
  const payload = { sequence: 1n, round: 0, digest: DIGEST, commitSeal }
  return signPayload(QBFT_CODES.commit, payload, encodeCommitPayload(payload), signer(V0))
}

test('given a commit with its author’s seal over the block, when it is of any round, then it is valid', () => {
  expect(judged(commitBy(V0).signed)).toBeUndefined()
  expect(
    judged(commitBy(V1, { block: BLOCK_OF_ROUND_ONE, round: 1 }).signed, BLOCK_OF_ROUND_ONE),
  ).toBeUndefined()
})

test('given the seal of a commit, when the block was proposed with another round, then it covers the commit’s round', () => {
  expect(judged(commitBy(V0, { round: 3 }).signed)).toBeUndefined()
})

test('given a commit of another proposal, when it comes, then it is refused', () => {
  expect(judged(commitBy(V0, { block: BLOCK_OF_ROUND_ONE }).signed)).toBe('wrong-digest')
  expect(judged(commitBy(V0, { block: withRound(BLOCK, 1) }).signed)).toBe('wrong-digest')
})

test('given a commit seal over a hash that differs from the committed header, when it comes, then it is refused', () => {
  expect(judged(withSeal(signer(V0)(new Uint8Array(32))))).toBe('bad-seal')
  expect(judged(withSeal(signer(V0)(proposalDigest(withRound(BLOCK, 1)))))).toBe('bad-seal')
  expect(judged(withSeal(new Uint8Array(65)))).toBe('bad-seal')
})

test('given the seal of another validator, when it comes, then it is refused', () => {
  expect(judged(commitBy(V0, { sealer: V1 }).signed)).toBe('bad-seal')
})

test('given a seal with a high s, when it comes, then it is accepted, as in blocks', () => {
  const seal = signer(V0)(DIGEST)
  seal.set(bigintToFixedBytes(SECP256K1_ORDER - bytesToBigint(seal.subarray(32, 64)), 32), 32)
  seal[64] = 1 - (seal[64] as number)
  expect(judged(withSeal(seal))).toBeUndefined()
})

test('given a commit without a signer, when it comes, then it is refused', () => {
  const { signed } = commitBy(V0)
  expect(judged({ ...signed, signature: new Uint8Array(65) })).toBe('bad-signature')
})
