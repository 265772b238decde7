import { describe, expect, test } from 'bun:test'
import type { Vote } from '../../../core/block/codec/extraData.ts'
import { chooseVote } from '../../../core/validators/proposals.ts'
import { applyVote, newTally } from '../../../core/validators/votes.ts'

const validator = (number: number): Uint8Array => new Uint8Array(20).fill(number)
const add = (number: number): Vote => ({ recipient: validator(number), type: 'add' })
const drop = (number: number): Vote => ({ recipient: validator(number), type: 'drop' })
const SELF = validator(1)
const three = newTally([1, 2, 3].map(validator))
const choose = (proposals: readonly Vote[], tally = three, position = 0) =>
  chooseVote(proposals, tally, SELF, position)

describe('given the vote of a proposer', () => {
  test('when there are no proposals, then there is none', () => {
    expect(choose([])).toEqual({ vote: undefined, position: 0 })
  })

  test('when candidates are proposed, then it adds missing and drops present validators', () => {
    expect(choose([add(4)]).vote).toEqual(add(4))
    expect(choose([drop(2)]).vote).toEqual(drop(2))
  })

  test('when a proposal is already true, then no vote is spent on it', () => {
    expect(choose([add(2)]).vote).toBeUndefined()
    expect(choose([drop(4)]).vote).toBeUndefined()
  })

  test('when it was cast before, then it is not cast again', () => {
    expect(choose([add(4)], applyVote(three, SELF, add(4))).vote).toBeUndefined()
    expect(choose([drop(2)], applyVote(three, SELF, drop(2))).vote).toBeUndefined()
  })

  test('when an own vote is outstanding, then it can be taken back', () => {
    expect(choose([drop(4)], applyVote(three, SELF, add(4))).vote).toEqual(drop(4))
    expect(choose([add(2)], applyVote(three, SELF, drop(2))).vote).toEqual(add(2))
  })

  test('when another validator voted, then that is no own vote', () => {
    expect(choose([add(4)], applyVote(three, validator(2), add(4))).vote).toEqual(add(4))
  })

  test('when several are useful, then they take turns, beginning with the second', () => {
    const proposals = [add(4), add(2), drop(3), add(5)]
    let position = 0
    const cast: (Vote | undefined)[] = []
    for (let block = 0; block < 4; block++) {
      const choice = choose(proposals, three, position)
      cast.push(choice.vote)
      position = choice.position
    }
    expect(cast).toEqual([drop(3), add(5), add(4), drop(3)])
  })

  test('when one validator is left, then it is never dropped', () => {
    expect(choose([drop(1)], newTally([SELF])).vote).toBeUndefined()
    expect(choose([drop(1)], newTally([SELF, validator(2)])).vote).toEqual(drop(1))
  })
})
