import { describe, expect, test } from 'bun:test'
import { validatorRole } from '../../../runtime/consensus/validatorRole.ts'
import { testAddress } from '../genesis.ts'

describe('what a node is to the next block', () => {
  test('the only validator makes blocks', () => {
    expect(validatorRole([testAddress(1)], testAddress(1), false).makesBlocks).toBe(true)
  })

  test('no validator makes none', () => {
    const { makesBlocks, text } = validatorRole([testAddress(1), testAddress(2)], testAddress(3), true)
    expect(makesBlocks).toBe(false)
    expect(text).toContain('is not one of the 2 validators')
  })

  test('one of several makes blocks with the others', () => {
    const { makesBlocks, text } = validatorRole([1, 2, 3, 4].map(testAddress), testAddress(3), true)
    expect(makesBlocks).toBe(true)
    expect(text).toContain('is one of 4 validators; a quorum of 3 makes blocks')
  })

  test('one of several that connects to no others makes none, and the quorum it lacks is named', () => {
    const { makesBlocks, text } = validatorRole([1, 2, 3, 4].map(testAddress), testAddress(3), false)
    expect(makesBlocks).toBe(false)
    expect(text).toContain('is one of 4 validators and cannot reach the quorum of 3 alone')
  })

  test('where there is no validator at all nobody makes blocks', () => {
    expect(validatorRole([], testAddress(1), false).makesBlocks).toBe(false)
  })
})
