import { describe, expect, test } from 'bun:test'
import { ZERO_HASH } from '../../../../core/bytes/bytes.ts'
import { withRound } from '../../../../core/qbft/codec/roundOfBlock.ts'
import type { SignedPrepare, SignedRoundChange } from '../../../../core/qbft/message.ts'
import { proposalRule } from '../../../../core/qbft/rules/proposal.ts'
import { type Key, OUTSIDER } from '../../chain/support/keys.ts'
import { prepareBy, proposalBy, signedRoundChangeBy } from '../codec/messages.ts'
import { blockOf, contextOf, preparedIn, validatorKeys, withHeader } from './support.ts'

const KEYS = validatorKeys(5)
const [K0, K1, K2, K3, K4] = KEYS as [Key, Key, Key, Key, Key]
const QUORUM = [K0, K1, K2, K3]
const CONTEXT = contextOf(KEYS)
const judged = (...[key, round, block, options]: Parameters<typeof proposalBy>): string | undefined =>
  proposalRule(CONTEXT, proposalBy(key, round, block, options))?.reason

describe('given a proposal of round 0', () => {
  const block = blockOf(K0)

  test('when its proposer sends it without justification, then it is valid', () => {
    expect(judged(K0, 0, block)).toBeUndefined()
    expect(judged(K0, 0, block, { dialect: 'blockAccessList' })).toBeUndefined()
  })

  test('when the round in the block is another, then it is refused: Besu accepts it, and could not propose it again', () => {
    expect(judged(K0, 0, withRound(block, 3))).toBe('invalid-block')
  })

  test('when the block’s number differs from the sequence, then it is refused', () => {
    expect(judged(K0, 0, withHeader(block, { number: 2n }))).toBe('invalid-block')
    expect(judged(K0, 0, withHeader(block, { number: 2n }), { sequence: 2n })).toBe('unjustified')
  })

  test('when it has a round change or prepare, then it is refused', () => {
    expect(judged(K0, 0, block, { roundChanges: [signedRoundChangeBy(K1, 1)] })).toBe('unjustified')
    expect(judged(K0, 0, block, { prepares: [prepareBy(K1)] })).toBe('unjustified')
  })

  test('when the coinbase is not the proposer, then it is refused', () => {
    expect(judged(K1, 0, block)).toBe('invalid-block')
  })

  test('when no address can be recovered, then it is refused', () => {
    const message = proposalBy(K0, 0, block)
    const signed = { ...message.signed, signature: new Uint8Array(65) }
    expect(proposalRule(CONTEXT, { ...message, signed })?.reason).toBe('bad-signature')
  })
})

describe('given a proposal of a new block in a later round', () => {
  const block = blockOf(K1, 1)
  const unprepared = QUORUM.map(key => signedRoundChangeBy(key, 1))
  const judgedWith = (roundChanges: readonly SignedRoundChange[]): string | undefined =>
    judged(K1, 1, block, { roundChanges })

  test('when it has a quorum of round changes, or all, then it is valid', () => {
    expect(judgedWith(unprepared)).toBeUndefined()
    expect(judgedWith([...unprepared, signedRoundChangeBy(K4, 1)])).toBeUndefined()
  })

  test('when the round in the block is 0, as GoQuorum’s, then it is valid', () => {
    expect(judged(K1, 1, withRound(block, 3), { roundChanges: unprepared })).toBe('invalid-block')
    expect(judged(K1, 1, withRound(block, 0), { roundChanges: unprepared })).toBeUndefined()
  })

  test('when the coinbase is not the proposer, then it is refused', () => {
    expect(judged(K2, 1, block, { roundChanges: unprepared })).toBe('invalid-block')
  })

  test('when it has one round change less than a quorum, then it is refused', () => {
    expect(judgedWith(unprepared.slice(1))).toBe('unjustified')
    expect(judgedWith([])).toBe('unjustified')
  })

  test('when one author has two round changes, even beyond the quorum, then it is refused', () => {
    expect(judgedWith([...unprepared.slice(1), signedRoundChangeBy(K1, 1)])).toBe('unjustified')
    expect(judgedWith([...unprepared, signedRoundChangeBy(K0, 1)])).toBe('unjustified')
    expect(judgedWith([...unprepared, ...unprepared])).toBe('unjustified')
  })

  test('when an outsider has one, even beyond the quorum, then it is refused', () => {
    expect(judgedWith([...unprepared.slice(1), signedRoundChangeBy(OUTSIDER, 1)])).toBe('unjustified')
    expect(judgedWith([...unprepared, signedRoundChangeBy(OUTSIDER, 1)])).toBe('unjustified')
  })

  test('when one is to another round or of another height, then it is refused', () => {
    for (const other of [signedRoundChangeBy(K0, 2), signedRoundChangeBy(K0, 1, undefined, 2n)]) {
      expect(judgedWith([other, ...unprepared.slice(1)])).toBe('unjustified')
      expect(judgedWith([...unprepared.slice(1), signedRoundChangeBy(K4, 1), other])).toBe('unjustified')
    }
  })

  test('when nobody was prepared and there are prepares, then it is refused', () => {
    const prepares = QUORUM.map(key => prepareBy(key))
    expect(judged(K1, 1, block, { roundChanges: unprepared, prepares })).toBe('unjustified')
  })
})

describe('given a proposal of a prepared block in a later round', () => {
  const block = blockOf(K0)
  const metadata = preparedIn(0, block)
  const again = withRound(block, 2)
  const roundChanges = [
    signedRoundChangeBy(K0, 2, metadata),
    ...[K1, K2, K3].map(key => signedRoundChangeBy(key, 2)),
  ]
  const prepares = QUORUM.map(key => prepareBy(key, metadata))
  const judgedWith = (attached: readonly SignedPrepare[], changes = roundChanges): string | undefined =>
    judged(K2, 2, again, { roundChanges: changes, prepares: attached })

  test('when it has the prepares of its certificate, then it is valid, whoever made the block', () => {
    expect(judgedWith(prepares)).toBeUndefined()
  })

  test('when the round in the extraData is 0, then it is valid', () => {
    expect(judged(K2, 2, block, { roundChanges, prepares })).toBeUndefined()
  })

  test('when it was prepared above round 0 with round 0 in it, then it is valid', () => {
    const old = { round: 1, digest: preparedIn(0, block).digest }
    const changes = QUORUM.map(key => signedRoundChangeBy(key, 2, old))
    const attached = QUORUM.map(key => prepareBy(key, old))
    expect(judgedWith(attached, changes)).toBeUndefined()
  })

  test('when two round changes are prepared in the same round with different hashes, then it is refused', () => {
    const other = signedRoundChangeBy(K1, 2, preparedIn(0, blockOf(K1)))
    expect(
      judgedWith(prepares, [roundChanges[0] as SignedRoundChange, other, ...roundChanges.slice(2)]),
    ).toBe('unjustified')
  })

  test('when prepares are by an outsider, by one author twice, or one too few, then it is refused', () => {
    expect(judgedWith([...prepares.slice(1), prepareBy(OUTSIDER, metadata)])).toBe('unjustified')
    expect(judgedWith([...prepares, prepareBy(OUTSIDER, metadata)])).toBe('unjustified')
    expect(judgedWith([...prepares.slice(1), prepareBy(K1, metadata)])).toBe('unjustified')
    expect(judgedWith([...prepares, prepareBy(K1, metadata)])).toBe('unjustified')
    expect(judgedWith(prepares.slice(1))).toBe('unjustified')
    expect(judgedWith([])).toBe('unjustified')
  })

  test('when prepares are of another round, hash or height, then it is refused', () => {
    for (const other of [
      prepareBy(K0, { ...metadata, round: 1 }),
      prepareBy(K0, { ...metadata, digest: ZERO_HASH }),
      prepareBy(K0, { ...metadata, sequence: 2n }),
    ])
      expect(judgedWith([other, ...prepares.slice(1)])).toBe('unjustified')
  })

  test('when the block is another than the prepared one, then it is refused', () => {
    expect(judged(K2, 2, blockOf(K2, 2), { roundChanges, prepares })).toBe('wrong-digest')
  })

  test('when the block is not that of the highest prepared round, then it is refused', () => {
    const later = blockOf(K1, 1)
    const highest = preparedIn(1, later)
    const changes = [
      signedRoundChangeBy(K0, 2, metadata),
      signedRoundChangeBy(K1, 2, highest),
      ...[K2, K3].map(key => signedRoundChangeBy(key, 2)),
    ]
    const certificate = QUORUM.map(key => prepareBy(key, highest))
    const propose = (proposed: typeof block, attached: readonly SignedPrepare[]): string | undefined =>
      judged(K2, 2, withRound(proposed, 2), { roundChanges: changes, prepares: attached })
    expect(propose(later, certificate)).toBeUndefined()
    expect(propose(block, prepares)).toBe('wrong-digest')
    expect(propose(later, prepares)).toBe('unjustified')
  })

  test('when a round change is by an outsider, then it is refused', () => {
    const changes = [...roundChanges.slice(0, 3), signedRoundChangeBy(OUTSIDER, 2)]
    expect(judgedWith(prepares, changes)).toBe('unjustified')
  })

  test('when a round change was prepared in its target round, then it is refused', () => {
    const own = signedRoundChangeBy(K0, 2, preparedIn(2, block))
    expect(judgedWith(prepares, [own, ...roundChanges.slice(1)])).toBe('unjustified')
  })
})
