import { expect, test } from 'bun:test'
import { validatorSetFault } from '../../../../runtime/consensus/inputs/validatorSet.ts'
import { testAddress } from '../../genesis.ts'

test.each([
  [[], 'block 7 has no validators: their contract names none'],
  [[1, 1], 'the list of validators of block 7 names 1 different of 2, and a quorum of it is 2'],
  [[1, 2, 3, 3, 3], 'the list of validators of block 7 names 3 different of 5, and a quorum of it is 4'],
  // Four different validators are a quorum of five entries.
  [[1, 2, 3, 4, 4], undefined],
  [[1], undefined],
] as const)(
  'given the validators %p of block 7, when they are read, then their fault is: %p',
  (list, fault) => expect(validatorSetFault(7n, list.map(testAddress))).toBe(fault),
)
