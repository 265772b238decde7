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

describe('a call of the system', () => {
  test('stores the parent’s hash in the history contract, which then tells it (EIP-2935)', () => {
    const world = worldWith([[HISTORY, { code: HISTORY_CODE, nonce: 1n }]])
    const environment = environmentOf('prague')
    const hash = word(0x1234n)
    expect(systemCall(environment, world, HISTORY, hash).success).toBe(true)
    expect(world.storage(HISTORY, word(99))).toEqual(hash)
    const asked = callMessage(environment, world, message({ to: HISTORY, data: word(99) }))
    expect(asked.output).toEqual(hash)
  })

  test('comes from 0xff..fe with 30,000,000 gas, costs nobody anything and leaves no trace of its caller', () => {
    const world = worldWith([[CONTRACT, { code: returning('CALLER GAS ADD') }]])
    const system = fromHex('fffffffffffffffffffffffffffffffffffffffe')
    const { output } = systemCall(environmentOf('prague'), world, CONTRACT, word(0))
    expect(bytesToBigint(output)).toBe(bytesToBigint(system) + 30_000_000n - 4n)
    expect([world.exists(system), world.nonce(system), world.exists(BENEFICIARY)]).toEqual([false, 0n, false])
  })

  test('does nothing where there is no code, and undoes what a failing contract did', () => {
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

describe('a message nobody signed', () => {
  const environment = environmentOf('osaka')

  test('may come from anybody, also from a contract', () => {
    const world = worldWith([[CALLER, { balance: 7n, code: code('STOP') }]])
    const result = callMessage(environment, world, message({ value: 5n }))
    expect(result.success).toBe(true)
    expect([world.balance(CONTRACT), world.balance(CALLER)]).toEqual([5n, 2n])
  })

  test('pays for value and priced gas as a transaction does, or is refused', () => {
    const world = worldWith([[CALLER, { balance: 1000n }]])
    const poor = message({ value: 1001n })
    expect(() => callMessage(environment, world, poor)).toThrow(InvalidTransaction)
    const paying = message({ maxFeePerGas: 1n, maxPriorityFeePerGas: 1n, gasLimit: 21_000n })
    expect(() => callMessage(environment, world, paying)).toThrow(InvalidTransaction)
    expect(callMessage(environment, world, message({ value: 1000n })).success).toBe(true)
  })

  test('is undone by its caller', () => {
    const world = worldWith([[CONTRACT, { code: code(1, 1, 'SSTORE') }]])
    const before = world.changes(1n)
    const snapshot = world.snapshot()
    callMessage(environment, world, message())
    world.revert(snapshot)
    expect(world.changes(1n)).toEqual(before)
  })

  test('needs the gas it costs at least', () => {
    const few = message({ gasLimit: 20_999n })
    expect(() => callMessage(environment, worldWith([]), few)).toThrow(InvalidTransaction)
  })

  test('tells why it failed', () => {
    const world = worldWith([[CONTRACT, { code: code(0xab, 0, 'MSTORE8', 1, 0, 'REVERT') }]])
    const result = callMessage(environment, world, message())
    expect(result).toMatchObject({ success: false, output: Uint8Array.of(0xab), failure: { kind: 'revert' } })
  })
})
