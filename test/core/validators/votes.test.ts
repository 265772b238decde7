import { describe, expect, test } from 'bun:test'
import { toBareHex } from '../../../core/bytes/hex.ts'
import type { Vote } from '../../../core/block/codec/extraData.ts'
import {
  applyVote,
  clearVotes,
  newTally,
  outstandingVote,
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

describe('four validators, three votes decide', () => {
  const four = set(1, 2, 3, 4)

  test('two votes to add are not enough, the third adds, and the set stays sorted', () => {
    expect(members(vote(four, [1, 'add', 5], [2, 'add', 5]))).toEqual([1, 2, 3, 4])
    expect(members(vote(four, [1, 'add', 5], [2, 'add', 5], [3, 'add', 5]))).toEqual([1, 2, 3, 4, 5])
    const gap = set(2, 4, 6)
    expect(members(vote(gap, [2, 'add', 3], [4, 'add', 3]))).toEqual([2, 3, 4, 6])
  })

  test('three votes to drop remove', () => {
    expect(members(vote(four, [1, 'drop', 4], [2, 'drop', 4]))).toEqual([1, 2, 3, 4])
    expect(members(vote(four, [1, 'drop', 4], [2, 'drop', 4], [4, 'drop', 4]))).toEqual([1, 2, 3])
  })

  test('the same vote of one validator counts once', () => {
    expect(members(vote(four, [1, 'add', 5], [2, 'add', 5], [2, 'add', 5]))).toEqual([1, 2, 3, 4])
    expect(members(vote(four, [1, 'drop', 4], [2, 'drop', 4], [2, 'drop', 4]))).toEqual([1, 2, 3, 4])
  })

  test('a validator that changes its mind takes its earlier vote back', () => {
    const tally = vote(four, [1, 'add', 5], [1, 'drop', 5], [2, 'add', 5], [3, 'add', 5])
    expect(members(tally)).toEqual([1, 2, 3, 4])
    expect(members(vote(tally, [4, 'add', 5]))).toEqual([1, 2, 3, 4, 5])
    const dropping = vote(four, [1, 'drop', 4], [1, 'add', 4], [2, 'drop', 4], [3, 'drop', 4])
    expect(members(dropping)).toEqual([1, 2, 3, 4])
  })

  test('a vote to drop after the addition is but one vote', () => {
    expect(members(vote(four, [1, 'add', 5], [2, 'add', 5], [3, 'add', 5], [1, 'drop', 5]))).toEqual([
      1, 2, 3, 4, 5,
    ])
  })

  test('votes that have decided are gone', () => {
    const added = vote(four, [1, 'add', 5], [2, 'add', 5], [3, 'add', 5])
    expect(added.ballots).toEqual([])
    const dropped = vote(added, [2, 'drop', 5], [3, 'drop', 5], [4, 'drop', 5])
    expect(members(dropped)).toEqual([1, 2, 3, 4])
    expect(members(vote(dropped, [2, 'add', 5], [3, 'add', 5]))).toEqual([1, 2, 3, 4])
  })

  test('after an epoch block earlier votes to add and to drop count no more', () => {
    const adding = clearVotes(vote(four, [1, 'add', 5], [2, 'add', 5]))
    expect(members(vote(adding, [3, 'add', 5]))).toEqual([1, 2, 3, 4])
    const dropping = clearVotes(vote(four, [1, 'drop', 4], [2, 'drop', 4]))
    expect(members(vote(dropping, [3, 'drop', 4]))).toEqual([1, 2, 3, 4])
  })

  test('the votes of a validator that is voted out are gone with it', () => {
    const without4 = vote(four, [4, 'add', 5], [4, 'drop', 3], [1, 'drop', 4], [2, 'drop', 4], [3, 'drop', 4])
    expect(members(without4)).toEqual([1, 2, 3])
    expect(members(vote(without4, [1, 'add', 5], [1, 'drop', 3]))).toEqual([1, 2, 3])
    expect(members(vote(without4, [1, 'add', 5], [1, 'drop', 3], [2, 'add', 5]))).toEqual([1, 2, 3, 5])
  })

  test('votes on different recipients are counted apart', () => {
    const tally = vote(four, [1, 'add', 5], [2, 'add', 6], [3, 'drop', 4], [2, 'add', 5], [1, 'add', 6])
    expect(members(tally)).toEqual([1, 2, 3, 4])
    expect(members(vote(tally, [3, 'add', 5]))).toEqual([1, 2, 3, 4, 5])
    expect(members(vote(tally, [3, 'add', 6]))).toEqual([1, 2, 3, 4, 6])
  })
})

describe('small sets', () => {
  test('one validator adds alone', () => {
    expect(members(vote(set(1), [1, 'add', 2]))).toEqual([1, 2])
  })

  test('two add only together', () => {
    expect(members(vote(set(1, 2), [1, 'add', 3]))).toEqual([1, 2])
    expect(members(vote(set(1, 2), [1, 'add', 3], [2, 'add', 3]))).toEqual([1, 2, 3])
  })

  test('three vote in a fourth, and three of the four vote it out again', () => {
    const four = vote(set(1, 2, 3), [1, 'add', 4], [2, 'add', 4])
    expect(members(four)).toEqual([1, 2, 3, 4])
    expect(members(vote(four, [1, 'drop', 4], [2, 'drop', 4], [3, 'drop', 4]))).toEqual([1, 2, 3])
  })
})

describe('a majority that came about because the set shrank', () => {
  // Of five validators two want 5 out, one too few; then 4 and 3 leave, and two of three would be enough.
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

  test('does not decide by itself', () => {
    expect(members(shrunk)).toEqual([1, 2, 5])
  })

  test('decides with the next vote on that recipient, even one for the other side', () => {
    expect(members(vote(shrunk, [5, 'add', 5]))).toEqual([1, 2])
  })
})

describe('GoQuorum snapshots that both clients count alike:', () => {
  test('one validator adds a second, who then must agree to a third', () => {
    expect(members(vote(set(1), [1, 'add', 2], [1, 'add', 3]))).toEqual([1, 2])
  })

  test('two validators add two more, a third needs three votes', () => {
    const tally = vote(set(1), [1, 'add', 2], [1, 'add', 3], [2, 'add', 3], [1, 'add', 4], [2, 'add', 4])
    expect(members(tally)).toEqual([1, 2, 3, 4])
    expect(members(vote(tally, [1, 'add', 5], [2, 'add', 5]))).toEqual([1, 2, 3, 4])
  })

  test('the last validator can vote itself out', () => {
    expect(members(vote(set(1), [1, 'drop', 1]))).toEqual([])
  })

  test('of two validators both must agree to drop one', () => {
    expect(members(vote(set(1, 2), [1, 'drop', 2]))).toEqual([1, 2])
    expect(members(vote(set(1, 2), [1, 'drop', 2], [2, 'drop', 2]))).toEqual([1])
  })

  test('a vote is counted once, however often its validator repeats it', () => {
    const repeated = [1, 2, 3].map((): Cast => [1, 'add', 3])
    expect(members(vote(set(1, 2), ...repeated))).toEqual([1, 2])
    expect(members(vote(set(1, 2), ...repeated.map(([voter]): Cast => [voter, 'drop', 2])))).toEqual([1, 2])
  })

  test('who was voted in, out and in again leaves no vote behind, nor does one who is voted out meanwhile', () => {
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

  test('of four validators two cannot drop, three can', () => {
    expect(members(vote(set(1, 2, 3, 4), [1, 'drop', 3], [2, 'drop', 3]))).toEqual([1, 2, 3, 4])
    expect(members(vote(set(1, 2, 3, 4), [1, 'drop', 4], [2, 'drop', 4], [3, 'drop', 4]))).toEqual([1, 2, 3])
  })
})

test('a tally sorts its validators and keeps each once', () => {
  expect(
    newTally([validator(9), validator(200), validator(3), validator(9)]).validators.map(toBareHex),
  ).toEqual([3, 9, 200].map(number => toBareHex(validator(number))))
})

test('the outstanding vote of a validator is its last one', () => {
  const tally = vote(set(1, 2, 3), [1, 'add', 7], [1, 'drop', 7])
  expect(outstandingVote(tally, validator(1), validator(7))).toBe('drop')
  expect(outstandingVote(tally, validator(2), validator(7))).toBeUndefined()
})
