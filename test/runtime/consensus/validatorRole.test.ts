import { describe, expect, test } from 'bun:test'
import { validatorRole } from '../../../runtime/consensus/validatorRole.ts'
import { testAddress } from '../genesis.ts'

describe('given the role of a node for the next block', () => {
  test('when it is the only validator, then it makes blocks', () => {
    expect(validatorRole([testAddress(1)], testAddress(1), false).makesBlocks).toBe(true)
  })

  test('when it is no validator, then it makes none', () => {
    const { makesBlocks, text } = validatorRole([testAddress(1), testAddress(2)], testAddress(3), true)
    expect(makesBlocks).toBe(false)
    expect(text).toContain('is not one of the 2 validators')
  })

  test('when it is one of several, then it makes blocks with the others', () => {
    const { makesBlocks, text } = validatorRole([1, 2, 3, 4].map(testAddress), testAddress(3), true)
    expect(makesBlocks).toBe(true)
    expect(text).toContain('is one of 4 validators; a quorum of 3 makes blocks')
  })

  test('when it is one of several without p2p, then it makes none, and the missing quorum is named', () => {
    const { makesBlocks, text } = validatorRole([1, 2, 3, 4].map(testAddress), testAddress(3), false)
    expect(makesBlocks).toBe(false)
    expect(text).toContain('is one of 4 validators and cannot reach the quorum of 3 alone')
  })

  test('when there are no validators, then nobody makes blocks', () => {
    expect(validatorRole([], testAddress(1), false).makesBlocks).toBe(false)
  })
})
