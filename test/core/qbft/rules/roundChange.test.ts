import { describe, expect, test } from 'bun:test'
import { ZERO_HASH } from '../../../../core/bytes/bytes.ts'
import { proposalDigest, withRound } from '../../../../core/qbft/codec/roundOfBlock.ts'
import type { RoundChangeMessage, SignedPrepare } from '../../../../core/qbft/message.ts'
import { roundChangeRule } from '../../../../core/qbft/rules/roundChange.ts'
import { type Key, OUTSIDER } from '../../chain/support/keys.ts'
import { prepareBy, roundChangeBy, signedRoundChangeBy } from '../codec/messages.ts'
import { blockOf, contextOf, preparedIn, validatorKeys, withHeader } from './support.ts'

const KEYS = validatorKeys(4)
const [K0, K1, K2, K3] = KEYS as [Key, Key, Key, Key]
const CONTEXT = contextOf(KEYS)
const judged = (message: RoundChangeMessage): string | undefined => roundChangeRule(CONTEXT, message)?.reason

describe('given a round change without a certificate', () => {
  const message = roundChangeBy(K3, 1)

  test('when it is for any round above 0, then it is valid', () => {
    expect(judged(message)).toBeUndefined()
    expect(judged(roundChangeBy(K3, 2 ** 31 - 1))).toBeUndefined()
  })

  test('when it is for round 0 or another height, then it is refused', () => {
    expect(judged(roundChangeBy(K3, 0))).toBe('unjustified')
    const signed = signedRoundChangeBy(K3, 1, undefined, 2n)
    expect(judged({ ...message, signed })).toBe('unjustified')
  })

  test('when it is by an outsider, or has an invalid signature, then it is refused', () => {
    expect(judged(roundChangeBy(OUTSIDER, 1))).toBe('not-a-validator')
    const signed = { ...message.signed, signature: new Uint8Array(65) }
    expect(judged({ ...message, signed })).toBe('bad-signature')
  })

  test('when it claims a certificate, or has prepares, then it is refused', () => {
    const signed = signedRoundChangeBy(K3, 1, preparedIn(0, blockOf(K0)))
    expect(judged({ ...message, signed })).toBe('unjustified')
    expect(judged({ ...message, prepares: [prepareBy(K0)] })).toBe('unjustified')
  })
})

describe('given a round change with a certificate', () => {
  const block = blockOf(K0, 1)
  const metadata = preparedIn(1, block)
  const prepares = [K0, K1, K2].map(key => prepareBy(key, metadata))
  const judgedWith = (attached: readonly SignedPrepare[]): string | undefined =>
    judged(roundChangeBy(K3, 2, { ...metadata, block, prepares: attached }))

  test('when it has a quorum of prepares or more, then it is valid', () => {
    expect(judgedWith(prepares)).toBeUndefined()
    expect(judgedWith([...prepares, prepareBy(K3, metadata)])).toBeUndefined()
  })

  test('when it was prepared in its target round or later, then it is refused', () => {
    for (const round of [2, 3]) {
      const late = preparedIn(round, block)
      const certificate = {
        ...late,
        block: withRound(block, round),
        prepares: KEYS.map(key => prepareBy(key, late)),
      }
      expect(judged(roundChangeBy(K3, 2, certificate))).toBe('unjustified')
      expect(judged(roundChangeBy(K3, 4, certificate))).toBeUndefined()
    }
  })

  test('when it is for round 0 or another height, then it is refused', () => {
    expect(judged(roundChangeBy(K3, 0, { ...metadata, block, prepares }))).toBe('unjustified')
    const message = roundChangeBy(K3, 2, { ...metadata, block, prepares })
    const signed = signedRoundChangeBy(K3, 2, metadata, 2n)
    expect(judged({ ...message, signed })).toBe('unjustified')
  })

  test('when it has a block and no metadata, then it is refused', () => {
    expect(judged({ ...roundChangeBy(K3, 2), block, prepares })).toBe('unjustified')
    expect(judged({ ...roundChangeBy(K3, 2), block })).toBe('unjustified')
  })

  test('when its block has another hash or number, then it is refused', () => {
    expect(judged(roundChangeBy(K3, 2, { ...metadata, block: withRound(block, 0), prepares }))).toBe(
      'wrong-digest',
    )
    expect(judged(roundChangeBy(K3, 2, { ...metadata, block: blockOf(K1, 1), prepares }))).toBe(
      'wrong-digest',
    )
    const other = withHeader(block, { number: 2n })
    const digest = proposalDigest(other)
    const attached = KEYS.map(key => prepareBy(key, { round: 1, digest }))
    expect(judged(roundChangeBy(K3, 2, { round: 1, digest, block: other, prepares: attached }))).toBe(
      'invalid-block',
    )
  })

  test('when prepares are of another round, height or hash, then it is refused', () => {
    for (const other of [
      prepareBy(K0, { ...metadata, round: 0 }),
      prepareBy(K0, { ...metadata, sequence: 2n }),
      prepareBy(K0, { ...metadata, digest: ZERO_HASH }),
    ])
      expect(judgedWith([other, ...prepares.slice(1)])).toBe('unjustified')
  })

  test('when prepares are of one author twice, of an outsider, or too few, then it is refused', () => {
    expect(judgedWith([...prepares.slice(1), prepareBy(K1, metadata)])).toBe('unjustified')
    expect(judgedWith([...prepares.slice(1), prepareBy(OUTSIDER, metadata)])).toBe('unjustified')
    expect(judgedWith(prepares.slice(1))).toBe('unjustified')
    expect(judgedWith([])).toBe('unjustified')
  })

  test('when the round in the block differs from the prepares’ and the digest is the block’s, then it is valid', () => {
    const digest = proposalDigest(block)
    const attached = [K0, K1, K2].map(key => prepareBy(key, { round: 0, digest }))
    expect(judged(roundChangeBy(K3, 2, { round: 0, digest, block, prepares: attached }))).toBeUndefined()
  })

  test('when it is by an outsider, then it is refused', () => {
    expect(judged(roundChangeBy(OUTSIDER, 2, { ...metadata, block, prepares }))).toBe('not-a-validator')
  })
})
