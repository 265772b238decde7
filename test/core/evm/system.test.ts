import { describe, expect, test } from 'bun:test'
import { fromHex } from '../../../core/bytes/hex.ts'
import { bytesToBigint } from '../../../core/bytes/integer.ts'
import { callMessage, systemCall } from '../../../core/evm/transaction/execute.ts'
import { InvalidTransaction } from '../../../core/evm/transaction/result.ts'
import {
  BENEFICIARY,
  CALLER,
  CONTRACT,
  code,
  environmentOf,
  message,
  returning,
  word,
  worldWith,
} from './harness.ts'

/** EIP-2935's contract. */
const HISTORY = fromHex('0000f90827f1c53a10cb7a02335b175320002935')
const HISTORY_CODE = fromHex(
  '3373fffffffffffffffffffffffffffffffffffffffe14604657602036036042575f35600143038111604257611fff81430311604257611fff9006545f5260205ff35b5f5ffd5b5f35611fff60014303065500',
)

describe('given a system call', () => {
  test('when it stores the parent’s hash, then the history contract returns it (EIP-2935)', () => {
    const world = worldWith([[HISTORY, { code: HISTORY_CODE, nonce: 1n }]])
    const environment = environmentOf('prague')
    const hash = word(0x1234n)
    expect(systemCall(environment, world, HISTORY, hash).success).toBe(true)
    expect(world.storage(HISTORY, word(99))).toEqual(hash)
    const asked = callMessage(environment, world, message({ to: HISTORY, data: word(99) }))
    expect(asked.output).toEqual(hash)
  })

  test('when it runs, then it comes from 0xff..fe with 30,000,000 gas, costs nothing and leaves no caller', () => {
    const world = worldWith([[CONTRACT, { code: returning('CALLER GAS ADD') }]])
    const system = fromHex('fffffffffffffffffffffffffffffffffffffffe')
    const { output } = systemCall(environmentOf('prague'), world, CONTRACT, word(0))
    expect(bytesToBigint(output)).toBe(bytesToBigint(system) + 30_000_000n - 4n)
    expect([world.exists(system), world.nonce(system), world.exists(BENEFICIARY)]).toEqual([false, 0n, false])
  })

  test('when there is no code, then nothing happens; a failing contract is undone', () => {
    const world = worldWith([[CONTRACT, { code: code(1, 1, 'SSTORE INVALID') }]])
    expect(systemCall(environmentOf('prague'), world, HISTORY, word(0))).toEqual({
      success: true,
      output: new Uint8Array(0),
    })
    expect(world.exists(HISTORY)).toBe(false)
    expect(systemCall(environmentOf('prague'), world, CONTRACT, word(0)).success).toBe(false)
    expect(world.storage(CONTRACT, word(1))).toEqual(word(0))
  })
})

describe('given a message without a signature', () => {
  const environment = environmentOf('osaka')

  test('when it comes from anyone, even a contract, then it runs', () => {
    const world = worldWith([[CALLER, { balance: 7n, code: code('STOP') }]])
    const result = callMessage(environment, world, message({ value: 5n }))
    expect(result.success).toBe(true)
    expect([world.balance(CONTRACT), world.balance(CALLER)]).toEqual([5n, 2n])
  })

  test('when it has value and priced gas, then the sender pays like a transaction’s, or it is refused', () => {
    const world = worldWith([[CALLER, { balance: 1000n }]])
    const poor = message({ value: 1001n })
    expect(() => callMessage(environment, world, poor)).toThrow(InvalidTransaction)
    const paying = message({ maxFeePerGas: 1n, maxPriorityFeePerGas: 1n, gasLimit: 21_000n })
    expect(() => callMessage(environment, world, paying)).toThrow(InvalidTransaction)
    expect(callMessage(environment, world, message({ value: 1000n })).success).toBe(true)
  })

  test('when it ends, then its caller can undo it', () => {
    const world = worldWith([[CONTRACT, { code: code(1, 1, 'SSTORE') }]])
    const before = world.changes(1n)
    const snapshot = world.snapshot()
    callMessage(environment, world, message())
    world.revert(snapshot)
    expect(world.changes(1n)).toEqual(before)
  })

  test('when it has less than its intrinsic gas, then it is refused', () => {
    const few = message({ gasLimit: 20_999n })
    expect(() => callMessage(environment, worldWith([]), few)).toThrow(InvalidTransaction)
  })

  test('when it fails, then it has the reason', () => {
    const world = worldWith([[CONTRACT, { code: code(0xab, 0, 'MSTORE8', 1, 0, 'REVERT') }]])
    const result = callMessage(environment, world, message())
    expect(result).toMatchObject({ success: false, output: Uint8Array.of(0xab), failure: { kind: 'revert' } })
  })
})
