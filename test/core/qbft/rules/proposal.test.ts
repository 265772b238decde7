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

describe('round 0', () => {
  const block = blockOf(K0)

  test('a block by its proposer, with nothing attached, passes', () => {
    expect(judged(K0, 0, block)).toBeUndefined()
    expect(judged(K0, 0, block, { dialect: 'blockAccessList' })).toBeUndefined()
  })

  test('the round in the block is the proposal’s: another one, which Besu takes, could not be proposed again', () => {
    expect(judged(K0, 0, withRound(block, 3))).toBe('invalid-block')
  })

  test('a block of another number than the sequence is refused', () => {
    expect(judged(K0, 0, withHeader(block, { number: 2n }))).toBe('invalid-block')
    expect(judged(K0, 0, withHeader(block, { number: 2n }), { sequence: 2n })).toBe('unjustified')
  })

  test('round 0 with any round change or prepare attached is refused', () => {
    expect(judged(K0, 0, block, { roundChanges: [signedRoundChangeBy(K1, 1)] })).toBe('unjustified')
    expect(judged(K0, 0, block, { prepares: [prepareBy(K1)] })).toBe('unjustified')
  })

  test('a block that somebody else made is refused', () => {
    expect(judged(K1, 0, block)).toBe('invalid-block')
  })

  test('a signature from which no address can be recovered is refused', () => {
    const message = proposalBy(K0, 0, block)
    const signed = { ...message.signed, signature: new Uint8Array(65) }
    expect(proposalRule(CONTEXT, { ...message, signed })?.reason).toBe('bad-signature')
  })
})

describe('a new block in a later round', () => {
  const block = blockOf(K1, 1)
  const unprepared = QUORUM.map(key => signedRoundChangeBy(key, 1))
  const judgedWith = (roundChanges: readonly SignedRoundChange[]): string | undefined =>
    judged(K1, 1, block, { roundChanges })

  test('passes with a quorum of round changes, or with all of them', () => {
    expect(judgedWith(unprepared)).toBeUndefined()
    expect(judgedWith([...unprepared, signedRoundChangeBy(K4, 1)])).toBeUndefined()
  })

  test('the round in the block may differ from the proposal’s where it is 0, as GoQuorum’s is', () => {
    expect(judged(K1, 1, withRound(block, 3), { roundChanges: unprepared })).toBe('invalid-block')
    expect(judged(K1, 1, withRound(block, 0), { roundChanges: unprepared })).toBeUndefined()
  })

  test('is its proposer’s own', () => {
    expect(judged(K2, 1, block, { roundChanges: unprepared })).toBe('invalid-block')
  })

  test('one round change less than a quorum is refused', () => {
    expect(judgedWith(unprepared.slice(1))).toBe('unjustified')
    expect(judgedWith([])).toBe('unjustified')
  })

  test('two round changes by one author are refused, also beyond the quorum', () => {
    expect(judgedWith([...unprepared.slice(1), signedRoundChangeBy(K1, 1)])).toBe('unjustified')
    expect(judgedWith([...unprepared, signedRoundChangeBy(K0, 1)])).toBe('unjustified')
    expect(judgedWith([...unprepared, ...unprepared])).toBe('unjustified')
  })

  test('a round change by an outsider is refused, also beyond the quorum', () => {
    expect(judgedWith([...unprepared.slice(1), signedRoundChangeBy(OUTSIDER, 1)])).toBe('unjustified')
    expect(judgedWith([...unprepared, signedRoundChangeBy(OUTSIDER, 1)])).toBe('unjustified')
  })

  test('a round change to another round or of another height is refused', () => {
    for (const other of [signedRoundChangeBy(K0, 2), signedRoundChangeBy(K0, 1, undefined, 2n)]) {
      expect(judgedWith([other, ...unprepared.slice(1)])).toBe('unjustified')
      expect(judgedWith([...unprepared.slice(1), signedRoundChangeBy(K4, 1), other])).toBe('unjustified')
    }
  })

  test('prepares where nobody was prepared are refused', () => {
    const prepares = QUORUM.map(key => prepareBy(key))
    expect(judged(K1, 1, block, { roundChanges: unprepared, prepares })).toBe('unjustified')
  })
})

describe('a prepared block in a later round', () => {
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

  test('passes with the prepares of its certificate, whoever made it', () => {
    expect(judgedWith(prepares)).toBeUndefined()
  })

  test('passes with round 0 in its extraData', () => {
    expect(judged(K2, 2, block, { roundChanges, prepares })).toBeUndefined()
  })

  test('passes when it was prepared in a round above 0 with round 0 in it', () => {
    const old = { round: 1, digest: preparedIn(0, block).digest }
    const changes = QUORUM.map(key => signedRoundChangeBy(key, 2, old))
    const attached = QUORUM.map(key => prepareBy(key, old))
    expect(judgedWith(attached, changes)).toBeUndefined()
  })

  test('two round changes prepared in the same round with different hashes are refused', () => {
    const other = signedRoundChangeBy(K1, 2, preparedIn(0, blockOf(K1)))
    expect(
      judgedWith(prepares, [roundChanges[0] as SignedRoundChange, other, ...roundChanges.slice(2)]),
    ).toBe('unjustified')
  })

  test('prepares by an outsider, by one author twice, or one too few are refused', () => {
    expect(judgedWith([...prepares.slice(1), prepareBy(OUTSIDER, metadata)])).toBe('unjustified')
    expect(judgedWith([...prepares, prepareBy(OUTSIDER, metadata)])).toBe('unjustified')
    expect(judgedWith([...prepares.slice(1), prepareBy(K1, metadata)])).toBe('unjustified')
    expect(judgedWith([...prepares, prepareBy(K1, metadata)])).toBe('unjustified')
    expect(judgedWith(prepares.slice(1))).toBe('unjustified')
    expect(judgedWith([])).toBe('unjustified')
  })

  test('prepares of another round, hash or height are refused', () => {
    for (const other of [
      prepareBy(K0, { ...metadata, round: 1 }),
      prepareBy(K0, { ...metadata, digest: ZERO_HASH }),
      prepareBy(K0, { ...metadata, sequence: 2n }),
    ])
      expect(judgedWith([other, ...prepares.slice(1)])).toBe('unjustified')
  })

  test('another block than the prepared one is refused', () => {
    expect(judged(K2, 2, blockOf(K2, 2), { roundChanges, prepares })).toBe('wrong-digest')
  })

  test('the block of the highest prepared round is the one to propose', () => {
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

  test('a round change by an outsider among them is refused', () => {
    const changes = [...roundChanges.slice(0, 3), signedRoundChangeBy(OUTSIDER, 2)]
    expect(judgedWith(prepares, changes)).toBe('unjustified')
  })

  test('a round change prepared in its target round is refused', () => {
    const own = signedRoundChangeBy(K0, 2, preparedIn(2, block))
    expect(judgedWith(prepares, [own, ...roundChanges.slice(1)])).toBe('unjustified')
  })
})
