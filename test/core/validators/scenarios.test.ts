import { describe, expect, test } from 'bun:test'
import type { Address } from '../../../core/bytes/bytes.ts'
import type { Vote } from '../../../core/block/codec/extraData.ts'
import { parseGenesis } from '../../../core/genesis/parse/parse.ts'
import type { QbftConsensus } from '../../../core/genesis/qbftSchedule.ts'
import { chooseVote } from '../../../core/validators/proposals.ts'
import { proposerOf } from '../../../core/validators/proposer.ts'
import { tallyAfter } from '../../../core/validators/tally.ts'
import { newTally, type VoteTally } from '../../../core/validators/votes.ts'
import { withQbft } from '../genesis/genesisFiles.ts'

const validator = (number: number): Address => new Uint8Array(20).fill(number)
const numberOf = (address: Address): number => address[0] as number
const add = (number: number): Vote => ({ recipient: validator(number), type: 'add' })
const drop = (number: number): Vote => ({ recipient: validator(number), type: 'drop' })
const range = (from: number, to: number): number[] =>
  Array.from({ length: to - from + 1 }, (_, index) => from + index)

/** Validators that take turns and vote as their operators propose, without a network. */
const createConsortium = (members: readonly number[], epochlength = 30_000) => {
  const consensus = parseGenesis(withQbft({ epochlength })).configuration.consensus as QbftConsensus
  const standing = new Map<number, readonly Vote[]>()
  const positions = new Map<number, number>()
  let tally: VoteTally = newTally(members.map(validator))
  let number = 0n
  let last: Address = new Uint8Array(20)
  const proposers: number[] = []

  const step = (): void => {
    const proposer = proposerOf(tally.validators, last, 0)
    if (proposer === undefined) throw new Error('nobody is left to propose')
    const key = numberOf(proposer)
    const choice = chooseVote(standing.get(key) ?? [], tally, proposer, positions.get(key) ?? 0)
    positions.set(key, choice.position)
    number++
    tally = tallyAfter(consensus, tally, { number, proposer, vote: choice.vote })
    last = proposer
    proposers.push(key)
  }

  return {
    /** The proposals of these operators from now on; they replace earlier ones. */
    propose(operators: readonly number[], ...votes: readonly Vote[]) {
      for (const operator of operators) standing.set(operator, votes)
    },
    run(blocks: number) {
      for (let count = 0; count < blocks; count++) step()
    },
    /** The proposers of the last blocks. */
    lately: (blocks: number) => proposers.slice(-blocks),
    members: () => tally.validators.map(numberOf),
    votes: () => tally.votes.length,
  }
}

describe('given a consortium whose operators propose', () => {
  test('when three vote a fourth in, then three of the four can vote it out again', () => {
    const consortium = createConsortium([1, 2, 3])
    consortium.propose([1, 2, 3], add(4))
    consortium.run(2)
    expect(consortium.members()).toEqual([1, 2, 3, 4])
    consortium.run(4)
    expect(new Set(consortium.lately(4))).toEqual(new Set([1, 2, 3, 4]))
    consortium.propose([1, 2, 3], drop(4))
    consortium.run(4)
    expect(consortium.members()).toEqual([1, 2, 3])
    consortium.run(6)
    expect(consortium.lately(6)).not.toContain(4)
  })

  test('when a fifth is voted in, then it takes its turn from the block after that', () => {
    const consortium = createConsortium([1, 2, 3, 4])
    consortium.propose([1, 2, 3], add(5))
    consortium.run(3)
    expect(consortium.members()).toEqual([1, 2, 3, 4, 5])
    consortium.run(2)
    expect(consortium.lately(5)).toEqual([1, 2, 3, 4, 5])
  })

  test('when two of four propose, then that is never enough', () => {
    const consortium = createConsortium([1, 2, 3, 4])
    consortium.propose([1, 2], add(5))
    consortium.run(100)
    expect(consortium.members()).toEqual([1, 2, 3, 4])
    // An outstanding vote is cast once.
    expect(consortium.votes()).toBe(2)
  })

  test('when the epoch clears the votes, then proposals are voted on again', () => {
    const consortium = createConsortium([1, 2, 3, 4], 10)
    consortium.propose([1, 2], add(5))
    consortium.run(9)
    expect(consortium.votes()).toBe(2)
    consortium.run(1)
    expect(consortium.votes()).toBe(0)
    consortium.run(4)
    expect(consortium.votes()).toBe(2)
    consortium.propose([3], add(5))
    consortium.run(4)
    expect(consortium.members()).toEqual([1, 2, 3, 4, 5])
  })

  test('when an epoch is too short for a majority, then the set never changes', () => {
    const consortium = createConsortium([1, 2, 3, 4], 3)
    consortium.propose([1, 2, 3, 4], add(5))
    consortium.run(60)
    expect(consortium.members()).toEqual([1, 2, 3, 4])
  })

  test('when several are proposed at once, then it grows from four to seven and back', () => {
    const consortium = createConsortium(range(1, 4))
    consortium.propose(range(1, 4), add(5), add(6), add(7))
    consortium.run(30)
    expect(consortium.members()).toEqual(range(1, 7))
    consortium.run(7)
    expect(new Set(consortium.lately(7))).toEqual(new Set(range(1, 7)))
    consortium.propose(range(1, 4), drop(5), drop(6), drop(7))
    consortium.run(60)
    expect(consortium.members()).toEqual(range(1, 4))
    consortium.run(4)
    expect(new Set(consortium.lately(4))).toEqual(new Set(range(1, 4)))
  })

  test('when operators disagree and change their votes, then the majority decides', () => {
    const consortium = createConsortium([1, 2, 3, 4])
    consortium.propose([1, 2], drop(4))
    consortium.propose([3], add(4))
    consortium.run(8)
    expect(consortium.members()).toEqual([1, 2, 3, 4])
    consortium.propose([3], drop(4))
    consortium.run(4)
    expect(consortium.members()).toEqual([1, 2, 3])
  })

  test('when they propose to drop the last one, then it stays', () => {
    const consortium = createConsortium([1, 2, 3])
    consortium.propose([1, 2, 3], drop(1), drop(2), drop(3))
    consortium.run(50)
    expect(consortium.members()).toHaveLength(1)
    consortium.run(5)
  })
})
