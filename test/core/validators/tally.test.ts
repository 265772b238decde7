import { describe, expect, test } from 'bun:test'
import type { QbftParameters, QbftTransition } from '../../../core/genesis/configuration.ts'
import type { QbftConsensus } from '../../../core/genesis/qbftSchedule.ts'
import { encodeExtraData, type Vote } from '../../../core/block/codec/extraData.ts'
import { isEpochBlock, tallyAfter, tallyOrigin, votingBlock } from '../../../core/validators/tally.ts'
import { newTally, type VoteTally } from '../../../core/validators/votes.ts'

const validator = (number: number): Uint8Array => new Uint8Array(20).fill(number)
const parameters: QbftParameters = {
  blockPeriodSeconds: 1,
  blockPeriodMs: 0,
  emptyBlockPeriodSeconds: 0,
  epochLength: 3n,
  requestTimeoutSeconds: 1,
  blockReward: 0n,
  perTxGasLimit: undefined,
  miningBeneficiary: undefined,
  validatorSelection: { mode: 'blockheader' },
}
const override = (block: bigint, ...numbers: readonly number[]): QbftTransition => ({
  block,
  parameters,
  validators: numbers.map(validator),
})
const consensus = (transitions: readonly QbftTransition[] = [], epochLength = 3n): QbftConsensus => ({
  kind: 'qbft',
  parameters: { ...parameters, epochLength },
  transitions,
  startBlock: 0n,
  messaging: {
    messageQueueLimit: 1000,
    duplicateMessageLimit: 100,
    futureMessagesLimit: 1000,
    futureMessagesMaxDistance: 10,
  },
})
const members = (tally: VoteTally): number[] => tally.validators.map(address => address[0] as number)
const voting = (number: bigint, proposer: number, type?: Vote['type'], recipient = 0) => ({
  number,
  proposer: validator(proposer),
  vote: type === undefined ? undefined : { recipient: validator(recipient), type },
})

describe('given epoch blocks', () => {
  test('when the epoch is set, then they are its multiples, block 0 among them', () => {
    const config = consensus([], 100n)
    expect([0n, 1n, 99n, 100n, 101n, 200n].map(number => isEpochBlock(config, number))).toEqual([
      true,
      false,
      false,
      true,
      false,
      true,
    ])
  })

  test('when the chain moved from IBFT 2.0, then each mechanism has its own, QBFT from the block before its first', () => {
    const qbft = { block: 101n, parameters: { ...parameters, epochLength: 7n }, validators: undefined }
    const config: QbftConsensus = { ...consensus([qbft], 30n), startBlock: 101n }
    const epochs = Array.from({ length: 116 }, (_, number) => number).filter(number =>
      isEpochBlock(config, BigInt(number)),
    )
    expect(epochs).toEqual([0, 30, 60, 90, 100, 107, 114])
    const origins = [89n, 99n, 100n, 106n, 107n].map(number => tallyOrigin(config, number).block)
    expect(origins).toEqual([60n, 90n, 100n, 100n, 107n])
  })

  test('when one comes, then votes are cleared, and its own is ignored', () => {
    const two = newTally([1, 2].map(validator))
    const voted = tallyAfter(consensus(), two, voting(1n, 1, 'add', 3))
    const cleared = tallyAfter(consensus(), voted, voting(3n, 2, 'add', 3))
    expect(members(cleared)).toEqual([1, 2])
    const after = tallyAfter(consensus(), cleared, voting(4n, 2, 'add', 3))
    expect(members(after)).toEqual([1, 2])
    expect(members(tallyAfter(consensus(), after, voting(5n, 1, 'add', 3)))).toEqual([1, 2, 3])
  })

  test('when a vote is on either side of a checkpoint, then it decides nothing, as in both clients', () => {
    const two = newTally([1, 2].map(validator))
    const blocks = [
      voting(1n, 1, 'add', 3),
      voting(2n, 2),
      voting(3n, 1),
      voting(4n, 2, 'add', 3),
      voting(5n, 1),
    ]
    expect(members(blocks.reduce((tally, block) => tallyAfter(consensus(), tally, block), two))).toEqual([
      1, 2,
    ])
  })
})

describe('given a transition that sets the validators', () => {
  const config = consensus([override(11n, 7, 5)], 100n)
  const before = tallyAfter(config, newTally([1].map(validator)), voting(8n, 1))

  test('when its block comes, then the set is replaced', () => {
    expect(members(tallyAfter(config, before, voting(9n, 1)))).toEqual([1])
    expect(members(tallyAfter(config, before, voting(10n, 1)))).toEqual([5, 7])
  })

  test('when the block before has a vote, then it applies on top', () => {
    const alone = consensus([override(11n, 7)], 100n)
    expect(members(tallyAfter(alone, before, voting(10n, 1, 'add', 9)))).toEqual([7, 9])
  })

  test('when later blocks come, then earlier votes are gone, and the tally continues', () => {
    const two = newTally([1, 2].map(validator))
    const voted = tallyAfter(config, two, voting(9n, 1, 'add', 9))
    const replaced = tallyAfter(config, voted, voting(10n, 2))
    expect(replaced.votes).toEqual([])
    const once = tallyAfter(config, replaced, voting(11n, 5, 'add', 9))
    expect(members(tallyAfter(config, once, voting(12n, 7, 'add', 9)))).toEqual([5, 7, 9])
  })
})

describe('given tallyOrigin', () => {
  test('when there is no transition, then it is the last epoch block', () => {
    expect(tallyOrigin(consensus(), 8n)).toEqual({ block: 6n, validators: undefined })
    expect(tallyOrigin(consensus(), 9n)).toEqual({ block: 9n, validators: undefined })
    expect(tallyOrigin(consensus(), 0n)).toEqual({ block: 0n, validators: undefined })
  })

  test('when a later transition set the validators, then it is the block before it', () => {
    const transition = override(11n, 7)
    const config = consensus([transition, { ...transition, block: 12n, validators: undefined }], 100n)
    expect(tallyOrigin(config, 9n)).toEqual({ block: 0n, validators: undefined })
    for (const number of [10n, 11n, 99n])
      expect(tallyOrigin(config, number)).toEqual({ block: 10n, validators: transition.validators })
    expect(tallyOrigin(config, 100n)).toEqual({ block: 100n, validators: undefined })
  })

  test('when the tally starts there, then it is the same as from genesis', () => {
    const config = consensus([override(14n, 1, 2, 3)], 5n)
    const casts = new Map([
      [1n, voting(1n, 1, 'add', 2)],
      [2n, voting(2n, 2, 'add', 3)],
      [4n, voting(4n, 1, 'add', 3)],
      [7n, voting(7n, 2, 'drop', 1)],
      [13n, voting(13n, 1, 'drop', 3)],
      [14n, voting(14n, 2, 'drop', 3)],
    ])
    const block = (number: bigint) => casts.get(number) ?? voting(number, 1)
    const genesis = newTally([validator(1)])
    const tallies: VoteTally[] = [genesis]
    for (let number = 1n; number <= 20n; number++)
      tallies.push(tallyAfter(config, tallies.at(-1) as VoteTally, block(number)))
    for (let number = 0n; number <= 20n; number++) {
      const origin = tallyOrigin(config, number)
      // The list in a block's extraData is the tally after its parent.
      const listed = tallies[Number(origin.block) - 1] ?? genesis
      let tally = newTally(origin.validators ?? listed.validators)
      for (let next = origin.block; next <= number; next++) tally = tallyAfter(config, tally, block(next))
      expect(tally).toEqual(tallies[Number(number)] as VoteTally)
    }
  })
})

test('given the vote of a block, when it is read, then it comes from the extraData', () => {
  const vote: Vote = { recipient: validator(4), type: 'drop' }
  const extraData = encodeExtraData({ vanity: new Uint8Array(32), validators: [], vote, round: 0, seals: [] })
  expect(votingBlock({ number: 3n, coinbase: validator(1), extraData })).toEqual({
    number: 3n,
    proposer: validator(1),
    vote,
  })
})
