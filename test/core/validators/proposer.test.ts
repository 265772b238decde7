import { describe, expect, test } from 'bun:test'
import { ZERO_ADDRESS } from '../../../core/bytes/bytes.ts'
import { proposerOf } from '../../../core/validators/proposer.ts'
import { faultsOf, quorumOf } from '../../../core/validators/quorum.ts'

const validator = (number: number): Uint8Array => new Uint8Array(20).fill(number)
const four = [10, 20, 30, 40].map(validator)
const proposer = (previous: number, round: number): number | undefined =>
  proposerOf(four, validator(previous), round)?.[0]

describe('given the proposer of a round', () => {
  test('when the last one is a validator, then it is the next, and one further each round', () => {
    expect([0, 1, 2, 3, 4, 5].map(round => proposer(20, round))).toEqual([30, 40, 10, 20, 30, 40])
    expect(proposer(40, 0)).toBe(10)
  })

  test('when the last one was voted out, then it is the next greater address', () => {
    expect([0, 1, 2, 3].map(round => proposer(25, round))).toEqual([30, 40, 10, 20])
    expect(proposer(5, 0)).toBe(10)
  })

  test('when the last one was voted out at the end, then it is the first', () => {
    expect(proposer(50, 0)).toBe(10)
    expect(proposer(50, 1)).toBe(20)
  })

  test('when it is block 1, then it is the first validator, because the genesis block has no proposer', () => {
    expect([0, 1, 5].map(round => proposerOf(four, ZERO_ADDRESS, round)?.[0])).toEqual([10, 20, 20])
  })

  test('when there is one validator, then it is always that one, and nobody without any', () => {
    expect([0, 1, 1000].map(round => proposerOf([validator(7)], validator(7), round)?.[0])).toEqual([7, 7, 7])
    expect(proposerOf([], validator(7), 0)).toBeUndefined()
  })

  test('when addresses are compared, then as unsigned bytes', () => {
    const set = [validator(0x10), validator(0x90)]
    expect(proposerOf(set, validator(0x80), 0)?.[0]).toBe(0x90)
  })
})

describe('given quorum and faults', () => {
  const table: readonly (readonly [validators: number, quorum: number, faults: number])[] = [
    [1, 1, 0],
    [2, 2, 0],
    [3, 2, 0],
    [4, 3, 1],
    [5, 4, 1],
    [6, 4, 1],
    [7, 5, 2],
    [8, 6, 2],
    [9, 6, 2],
    [10, 7, 3],
    [13, 9, 4],
    [15, 10, 4],
    [20, 14, 6],
    [30, 20, 9],
  ]
  for (const [validators, quorum, faults] of table)
    test(`when there are ${validators} validators, then ${quorum} decide and ${faults} may be faulty`, () => {
      expect(quorumOf(validators)).toBe(quorum)
      expect(quorumOf(validators)).toBe(Math.floor((2 * validators - 1) / 3) + 1)
      expect(faultsOf(validators)).toBe(faults)
    })

  test('when there are none, then none may be faulty', () => {
    expect(faultsOf(0)).toBe(0)
  })
})
