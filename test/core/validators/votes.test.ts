import { describe, expect, test } from 'bun:test'
import { toBareHex } from '../../../core/bytes/hex.ts'
import type { Vote } from '../../../core/block/codec/extraData.ts'
import {
  applyVote,
  clearVotes,
  newTally,
  pendingVote,
  type VoteTally,
} from '../../../core/validators/votes.ts'

const validator = (number: number): Uint8Array => {
  const address = new Uint8Array(20)
  address[19] = number
  return address
}
const set = (...numbers: readonly number[]): VoteTally => newTally(numbers.map(validator))
const members = (tally: VoteTally): number[] => tally.validators.map(address => address[19] as number)

/** `[voter, type, recipient]`. */
type Cast = readonly [number, Vote['type'], number]
const vote = (tally: VoteTally, ...casts: readonly Cast[]): VoteTally =>
  casts.reduce(
    (before, [voter, type, recipient]) =>
      applyVote(before, validator(voter), { recipient: validator(recipient), type }),
    tally,
  )

describe('given four validators, of whom three votes decide', () => {
  const four = set(1, 2, 3, 4)

  test('when the third votes to add, then it is added, and the set stays sorted', () => {
    expect(members(vote(four, [1, 'add', 5], [2, 'add', 5]))).toEqual([1, 2, 3, 4])
    expect(members(vote(four, [1, 'add', 5], [2, 'add', 5], [3, 'add', 5]))).toEqual([1, 2, 3, 4, 5])
    const gap = set(2, 4, 6)
    expect(members(vote(gap, [2, 'add', 3], [4, 'add', 3]))).toEqual([2, 3, 4, 6])
  })

  test('when three vote to drop, then it is removed', () => {
    expect(members(vote(four, [1, 'drop', 4], [2, 'drop', 4]))).toEqual([1, 2, 3, 4])
    expect(members(vote(four, [1, 'drop', 4], [2, 'drop', 4], [4, 'drop', 4]))).toEqual([1, 2, 3])
  })

  test('when one repeats its vote, then it counts once', () => {
    expect(members(vote(four, [1, 'add', 5], [2, 'add', 5], [2, 'add', 5]))).toEqual([1, 2, 3, 4])
    expect(members(vote(four, [1, 'drop', 4], [2, 'drop', 4], [2, 'drop', 4]))).toEqual([1, 2, 3, 4])
  })

  test('when one changes its mind, then its earlier vote is gone', () => {
    const tally = vote(four, [1, 'add', 5], [1, 'drop', 5], [2, 'add', 5], [3, 'add', 5])
    expect(members(tally)).toEqual([1, 2, 3, 4])
    expect(members(vote(tally, [4, 'add', 5]))).toEqual([1, 2, 3, 4, 5])
    const dropping = vote(four, [1, 'drop', 4], [1, 'add', 4], [2, 'drop', 4], [3, 'drop', 4])
    expect(members(dropping)).toEqual([1, 2, 3, 4])
  })

  test('when one votes to drop after the addition, then that is one vote', () => {
    expect(members(vote(four, [1, 'add', 5], [2, 'add', 5], [3, 'add', 5], [1, 'drop', 5]))).toEqual([
      1, 2, 3, 4, 5,
    ])
  })

  test('when votes have decided, then they are gone', () => {
    const added = vote(four, [1, 'add', 5], [2, 'add', 5], [3, 'add', 5])
    expect(added.votes).toEqual([])
    const dropped = vote(added, [2, 'drop', 5], [3, 'drop', 5], [4, 'drop', 5])
    expect(members(dropped)).toEqual([1, 2, 3, 4])
    expect(members(vote(dropped, [2, 'add', 5], [3, 'add', 5]))).toEqual([1, 2, 3, 4])
  })

  test('when an epoch block comes, then earlier votes no longer count', () => {
    const adding = clearVotes(vote(four, [1, 'add', 5], [2, 'add', 5]))
    expect(members(vote(adding, [3, 'add', 5]))).toEqual([1, 2, 3, 4])
    const dropping = clearVotes(vote(four, [1, 'drop', 4], [2, 'drop', 4]))
    expect(members(vote(dropping, [3, 'drop', 4]))).toEqual([1, 2, 3, 4])
  })

  test('when a validator is voted out, then its votes go, too', () => {
    const without4 = vote(four, [4, 'add', 5], [4, 'drop', 3], [1, 'drop', 4], [2, 'drop', 4], [3, 'drop', 4])
    expect(members(without4)).toEqual([1, 2, 3])
    expect(members(vote(without4, [1, 'add', 5], [1, 'drop', 3]))).toEqual([1, 2, 3])
    expect(members(vote(without4, [1, 'add', 5], [1, 'drop', 3], [2, 'add', 5]))).toEqual([1, 2, 3, 5])
  })

  test('when recipients differ, then votes are counted apart', () => {
    const tally = vote(four, [1, 'add', 5], [2, 'add', 6], [3, 'drop', 4], [2, 'add', 5], [1, 'add', 6])
    expect(members(tally)).toEqual([1, 2, 3, 4])
    expect(members(vote(tally, [3, 'add', 5]))).toEqual([1, 2, 3, 4, 5])
    expect(members(vote(tally, [3, 'add', 6]))).toEqual([1, 2, 3, 4, 6])
  })
})

describe('given small sets', () => {
  test('when there is one validator, then it adds alone', () => {
    expect(members(vote(set(1), [1, 'add', 2]))).toEqual([1, 2])
  })

  test('when there are two, then they add only together', () => {
    expect(members(vote(set(1, 2), [1, 'add', 3]))).toEqual([1, 2])
    expect(members(vote(set(1, 2), [1, 'add', 3], [2, 'add', 3]))).toEqual([1, 2, 3])
  })

  test('when three vote in a fourth, then three of the four can vote it out', () => {
    const four = vote(set(1, 2, 3), [1, 'add', 4], [2, 'add', 4])
    expect(members(four)).toEqual([1, 2, 3, 4])
    expect(members(vote(four, [1, 'drop', 4], [2, 'drop', 4], [3, 'drop', 4]))).toEqual([1, 2, 3])
  })
})

describe('given a majority that came from a smaller set', () => {
  // Of five validators two vote to drop 5, one too few; then 4 and 3 leave, and two of three would be enough.
  const shrunk = vote(
    set(1, 2, 3, 4, 5),
    [1, 'drop', 5],
    [2, 'drop', 5],
    [1, 'drop', 4],
    [2, 'drop', 4],
    [3, 'drop', 4],
    [1, 'drop', 3],
    [2, 'drop', 3],
    [5, 'drop', 3],
  )

  test('when no vote comes, then it does not decide', () => {
    expect(members(shrunk)).toEqual([1, 2, 5])
  })

  test('when the next vote on that recipient comes, even for the other side, then it decides', () => {
    expect(members(vote(shrunk, [5, 'add', 5]))).toEqual([1, 2])
  })
})

describe('given GoQuorum snapshots that both clients count alike', () => {
  test('when one validator adds a second, then both must agree to a third', () => {
    expect(members(vote(set(1), [1, 'add', 2], [1, 'add', 3]))).toEqual([1, 2])
  })

  test('when two add two more, then a third needs three votes', () => {
    const tally = vote(set(1), [1, 'add', 2], [1, 'add', 3], [2, 'add', 3], [1, 'add', 4], [2, 'add', 4])
    expect(members(tally)).toEqual([1, 2, 3, 4])
    expect(members(vote(tally, [1, 'add', 5], [2, 'add', 5]))).toEqual([1, 2, 3, 4])
  })

  test('when the last validator votes itself out, then that works', () => {
    expect(members(vote(set(1), [1, 'drop', 1]))).toEqual([])
  })

  test('when two drop one, then both must agree', () => {
    expect(members(vote(set(1, 2), [1, 'drop', 2]))).toEqual([1, 2])
    expect(members(vote(set(1, 2), [1, 'drop', 2], [2, 'drop', 2]))).toEqual([1])
  })

  test('when a validator repeats a vote, then it counts once', () => {
    const repeated = [1, 2, 3].map((): Cast => [1, 'add', 3])
    expect(members(vote(set(1, 2), ...repeated))).toEqual([1, 2])
    expect(members(vote(set(1, 2), ...repeated.map(([voter]): Cast => [voter, 'drop', 2])))).toEqual([1, 2])
  })

  test('when one was voted in, out and in again, then it leaves no vote, nor one voted out meanwhile', () => {
    const casts: readonly Cast[] = [
      [1, 'add', 6],
      [2, 'add', 6],
      [3, 'add', 6],
      [4, 'drop', 6],
      [5, 'drop', 6],
      [2, 'drop', 6],
      [3, 'drop', 6],
      [4, 'add', 6],
      [5, 'add', 6],
      [2, 'drop', 1],
      [3, 'drop', 1],
      [4, 'drop', 1],
      [2, 'add', 6],
    ]
    const after = (count: number): number[] => members(vote(set(1, 2, 3, 4, 5), ...casts.slice(0, count)))
    expect(after(3)).toEqual([1, 2, 3, 4, 5, 6])
    expect(after(7)).toEqual([1, 2, 3, 4, 5])
    expect(after(12)).toEqual([2, 3, 4, 5])
    expect(after(13)).toEqual([2, 3, 4, 5, 6])
  })

  test('when two of four vote to drop, then that is not enough, three are', () => {
    expect(members(vote(set(1, 2, 3, 4), [1, 'drop', 3], [2, 'drop', 3]))).toEqual([1, 2, 3, 4])
    expect(members(vote(set(1, 2, 3, 4), [1, 'drop', 4], [2, 'drop', 4], [3, 'drop', 4]))).toEqual([1, 2, 3])
  })
})

test('given a tally, when validators are listed, then they are sorted and unique', () => {
  expect(
    newTally([validator(9), validator(200), validator(3), validator(9)]).validators.map(toBareHex),
  ).toEqual([3, 9, 200].map(number => toBareHex(validator(number))))
})

test('given outstanding votes, when a validator voted several times, then the last one counts', () => {
  const tally = vote(set(1, 2, 3), [1, 'add', 7], [1, 'drop', 7])
  expect(pendingVote(tally, validator(1), validator(7))).toBe('drop')
  expect(pendingVote(tally, validator(2), validator(7))).toBeUndefined()
})
