import { expect, test } from 'bun:test'
import { bytesToBigint } from '../../../core/bytes/integer.ts'
import { address, code, returning, run } from './harness.ts'

// Memory that is not written takes no room: the runtimes give it when it is first touched.

const FAR = 3_000_000_000
const OPTIONS = { message: { gasLimit: 2n ** 60n }, environment: { gasLimit: 2n ** 60n } } as const
const OTHER = 0x07e5

test('given memory beyond 2 GiB, when it is written and read, then it works like any other', () => {
  const program = code(
    [0x1234, 0, 'MSTORE', 0xabcd, FAR, 'MSTORE', 7, FAR + 100, 'MSTORE8'],
    [FAR, 'MLOAD', 0, 'MLOAD', 'ADD', FAR + 100, 'MLOAD', 248, 'SHR', 'ADD', 40, 'MSTORE', 32, 40, 'RETURN'],
  )
  expect(run(program, { ...OPTIONS, fork: 'constantinople' }).value).toBe(0x1234n + 0xabcdn + 7n)
})

test('given a call from beyond 2 GiB, when it runs, then its input is there and its memory follows', () => {
  const callee = returning(0, 'CALLDATALOAD', 5, 'ADD', 0, 'MSTORE', 0, 'MLOAD', 32, 'CALLDATALOAD', 'ADD')
  const program = code(
    [0x1234, FAR, 'MSTORE', 9, FAR + 32, 'MSTORE'],
    [32, FAR + 64, 64, FAR, 0, OTHER, 'GAS', 'CALL', 'POP'],
    [FAR + 64, 'MLOAD', 0, 'MSTORE', 32, 0, 'RETURN'],
  )
  const found = run(program, { ...OPTIONS, others: [[address(OTHER), { code: callee }]] })
  expect(bytesToBigint(found.result.output)).toBe(0x1234n + 5n + 9n)
})

test('given memory beyond 4 GiB, when it is accessed, then it is out of gas, whatever the gas', () => {
  expect(run(code(1, 2 ** 32 - 63, 'MSTORE'), OPTIONS).result.success).toBe(false)
  expect(run(code(1, 2 ** 32 - 64, 'MSTORE'), OPTIONS).result.success).toBe(true)
})
