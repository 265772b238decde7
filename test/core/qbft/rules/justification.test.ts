import { describe, expect, test } from 'bun:test'
import { keccak256 } from '../../../../core/crypto/crypto.ts'
import { withRound } from '../../../../core/qbft/codec/roundOfBlock.ts'
import type { SignedPrepare, SignedRoundChange } from '../../../../core/qbft/message.ts'
import { proposalRule } from '../../../../core/qbft/rules/proposal.ts'
import { quorumOf } from '../../../../core/validators/quorum.ts'
import type { Key } from '../../chain/support/keys.ts'
import { prepareBy, proposalBy, signedRoundChangeBy } from '../codec/messages.ts'
import { blockOf, contextOf, preparedIn, validatorKeys } from './support.ts'

/** GoQuorum's table of justifications: round 10, prepared in round 5. */
const TARGET = 10
const PREPARED = 5
/** Numbers of validators whose quorums are 3 to 10. */
const SIZES = [4, 5, 7, 8, 10, 11, 13, 14]

describe.each(SIZES)('given GoQuorum’s justifications among %d validators', count => {
  const keys = validatorKeys(count)
  const quorum = quorumOf(count)
  const proposer = keys[0] as Key
  const block = blockOf(proposer, TARGET)
  const metadata = preparedIn(PREPARED, block)
  const signers = keys.slice(0, quorum)
  const isJustified = (
    roundChanges: readonly SignedRoundChange[],
    prepares: readonly SignedPrepare[],
  ): boolean =>
    proposalRule(
      contextOf(keys),
      proposalBy(proposer, TARGET, withRound(block, TARGET), { roundChanges, prepares }),
    ) === undefined

  const unprepared = signers.map(key => signedRoundChangeBy(key, TARGET))
  const prepared = signers.map(key => signedRoundChangeBy(key, TARGET, metadata))
  // In each earlier round, whatever was prepared there.
  const earlier = signers.map((key, index) => {
    const round = index % PREPARED
    return signedRoundChangeBy(key, TARGET, { round, digest: keccak256(Uint8Array.of(round)) })
  })
  const prepares = signers.map(key => prepareBy(key, metadata))

  test('when a quorum of round changes is unprepared, then no prepares are needed', () => {
    expect(isJustified(unprepared, [])).toBe(true)
  })

  test('when one is prepared in the highest round with a quorum of prepares, then any mix is valid', () => {
    expect(isJustified(prepared, prepares)).toBe(true)
    for (let highest = 1; highest < quorum; highest++)
      for (const without of [0, Math.floor((quorum - highest) / 2), quorum - highest]) {
        const mixed = [
          ...prepared.slice(0, highest),
          ...unprepared.slice(highest, highest + without),
          ...earlier.slice(highest + without),
        ]
        expect(mixed.length).toBe(quorum)
        expect(isJustified(mixed, prepares)).toBe(true)
      }
  })

  test('when there are fewer round changes than a quorum, then neither form is valid', () => {
    expect(isJustified(unprepared.slice(1), [])).toBe(false)
    expect(isJustified(prepared.slice(1), prepares)).toBe(false)
  })

  test('when there are fewer prepares than a quorum, then it is refused', () => {
    expect(isJustified(prepared, prepares.slice(1))).toBe(false)
    expect(isJustified(prepared, [])).toBe(false)
  })

  test('when one prepare is of another round, then it is refused', () => {
    const other = prepareBy(proposer, { ...metadata, round: PREPARED - 1 })
    expect(isJustified(prepared, [other, ...prepares.slice(1)])).toBe(false)
  })
})
