import { describe, expect, test } from 'bun:test'
import { getContractAddress, toHex as viemHex } from 'viem'
import { type Address, EMPTY_BYTES } from '../../../core/bytes/bytes.ts'
import { toHex } from '../../../core/bytes/hex.ts'
import { bigintToFixedBytes } from '../../../core/bytes/integer.ts'
import { keccak256 } from '../../../core/crypto/crypto.ts'
import { create2Address, createAddress } from '../../../core/evm/frames/address.ts'
import type { ForkName } from '../../../core/genesis/fork.ts'
import {
  CALLER,
  CONTRACT,
  code,
  deploying,
  type Installed,
  reasonOf,
  returning,
  run,
  word,
  worldWith,
} from './harness.ts'

const addressOf = (value: bigint): Address => bigintToFixedBytes(value, 20)

/** Code that creates with the initialization code given (at most 32 bytes) and answers the address. */
const creating = (initCode: Uint8Array, value = 0, salt?: number): Uint8Array => {
  const stored = BigInt(toHex(initCode)) << BigInt(8 * (32 - initCode.length))
  const name = salt === undefined ? 'CREATE' : 'CREATE2'
  return returning(
    stored,
    0,
    'MSTORE',
    ...(salt === undefined ? [] : [salt]),
    initCode.length,
    0,
    value,
    name,
  )
}

const DEPLOYED = code(1, 'SLOAD')
const INIT = deploying(DEPLOYED)

/** Runs a transaction that creates a contract. */
const runCreation = (
  initCode: Uint8Array,
  fork: ForkName = 'osaka',
  options: { gasLimit?: bigint; world?: ReturnType<typeof worldWith> } = {},
) =>
  run(EMPTY_BYTES, {
    fork,
    world: options.world ?? worldWith([]),
    message: { to: undefined, data: initCode, gasLimit: options.gasLimit ?? 10_000_000n },
  })

describe('given the address of a new contract', () => {
  test('when CREATE runs, then it follows from creator and nonce, which grows', () => {
    const { value, world } = run(creating(INIT), { installed: { nonce: 200n } })
    const expected = getContractAddress({ from: viemHex(CONTRACT), nonce: 200n })
    expect(toHex(addressOf(value))).toBe(expected.toLowerCase())
    expect(world.nonce(CONTRACT)).toBe(201n)
    expect(world.code(addressOf(value))).toEqual(DEPLOYED)
    expect(world.nonce(addressOf(value))).toBe(1n)
  })

  test('when CREATE2 runs, then it follows from creator, salt and code (EIP-1014)', () => {
    const { value } = run(creating(INIT, 0, 7))
    const expected = getContractAddress({
      opcode: 'CREATE2',
      from: viemHex(CONTRACT),
      salt: viemHex(word(7)),
      bytecode: viemHex(INIT),
    })
    expect(toHex(addressOf(value))).toBe(expected.toLowerCase())
  })

  test('when a transaction creates, then it follows from sender and nonce, and is known even after a failure', () => {
    const expected = createAddress(CALLER, 0n)
    expect(runCreation(INIT).result.contractAddress).toEqual(expected)
    const failed = runCreation(code('INVALID')).result
    expect(failed).toMatchObject({ success: false, contractAddress: expected })
  })
})

describe('given the deployed code', () => {
  test('when the creation returns, then it is the output, also in the result', () => {
    const { result, world } = runCreation(INIT)
    expect(result.output).toEqual(DEPLOYED)
    expect(world.code(result.contractAddress as Address)).toEqual(DEPLOYED)
  })

  test('when there is too little gas for the 200 per byte, then Frontier deploys an empty contract, later forks none', () => {
    const gasLimit = (fork: ForkName): bigint => (fork === 'frontier' ? 21_000n : 53_000n) + 1000n + 500n
    const deploy = (fork: ForkName) =>
      runCreation(deploying(new Uint8Array(10)), fork, { gasLimit: gasLimit(fork) })
    const frontier = deploy('frontier')
    expect(frontier.result).toMatchObject({ success: true, output: new Uint8Array(10) })
    expect(frontier.world.code(createAddress(CALLER, 0n))).toEqual(EMPTY_BYTES)
    expect(frontier.world.exists(createAddress(CALLER, 0n))).toBe(true)
    const homestead = deploy('homestead')
    expect(reasonOf(homestead)).toBe('Out of gas')
    expect(homestead.world.exists(createAddress(CALLER, 0n))).toBe(false)
  })

  test.each([
    ['homestead', 24577, undefined],
    ['spuriousDragon', 24576, undefined],
    ['spuriousDragon', 24577, 'Code is too large'],
    ['osaka', 24577, 'Code is too large'],
  ] as const)('when %s deploys %p bytes (EIP-170), then the success is %p', (fork, size, reason) => {
    expect(reasonOf(runCreation(code(size, 0, 'RETURN'), fork))).toBe(reason)
  })

  test.each([
    ['berlin', undefined],
    ['london', 'Code is invalid'],
  ] as const)('when %s deploys a first byte of 0xef (EIP-3541), then the success is %p', (fork, reason) => {
    expect(reasonOf(runCreation(code(0xef, 0, 'MSTORE8', 1, 0, 'RETURN'), fork))).toBe(reason)
  })
})

describe('given initialization code (EIP-3860)', () => {
  test('when Shanghai is active, then it costs 2 gas a word', () => {
    const gasOf = (fork: ForkName): bigint => run(code(64, 0, 0, 'CREATE'), { fork }).gas
    expect(gasOf('shanghai') - gasOf('paris')).toBe(4n)
  })

  test('when it is longer than twice the code limit, then it is refused', () => {
    const create = (size: number, name: string) => run(returning(0, size, 0, 0, name))
    expect(reasonOf(create(49_152, 'CREATE'))).toBeUndefined()
    expect(reasonOf(create(49_153, 'CREATE'))).toBe('Code is too large')
    expect(reasonOf(create(49_153, 'CREATE2'))).toBe('Code is too large')
    expect(reasonOf(run(returning(0, 49_153, 0, 0, 'CREATE'), { fork: 'paris' }))).toBeUndefined()
  })
})

describe('given a creation that fails', () => {
  const target = create2Address(CONTRACT, word(7), keccak256(INIT))
  const create2With = (at: Installed) =>
    run(creating(INIT, 0, 7), { others: [[target, at]], message: { gasLimit: 1_000_000n } })

  test.each([
    ['code', { code: code('STOP') }],
    ['a nonce', { nonce: 1n }],
    ['storage (EIP-7610)', { storage: { 1: 1n } }],
  ] as const)('when there is %s, then it uses all gas and keeps the nonce', (_, at) => {
    const { value, gas, world } = create2With(at)
    expect(value).toBe(0n)
    expect(gas > 900_000n).toBe(true)
    expect(world.nonce(CONTRACT)).toBe(1n)
  })

  test('when the address has a balance, then it succeeds', () => {
    const { value, world } = create2With({ balance: 5n })
    expect(addressOf(value)).toEqual(target)
    expect(world.balance(target)).toBe(5n)
  })

  test('when it is a transaction, then it uses all gas', () => {
    const world = worldWith([[createAddress(CALLER, 0n), { nonce: 1n }]])
    const { result } = runCreation(INIT, 'osaka', { world, gasLimit: 100_000n })
    expect(result).toMatchObject({
      gasUsed: 100_000n,
      failure: { kind: 'halt', reason: 'Illegal state change' },
    })
  })

  test('when balance or nonce do not allow it, then the gas returns and the nonce stays', () => {
    const poor = run(creating(INIT, 9))
    expect([poor.value, poor.world.nonce(CONTRACT)]).toEqual([0n, 0n])
    expect(poor.gas < 33_000n).toBe(true)
    const last = 2n ** 64n - 1n
    const worn = run(creating(INIT), { installed: { nonce: last } })
    expect([worn.value, worn.world.nonce(CONTRACT)]).toEqual([0n, last])
  })

  test('when it reverts, then it answers zero with return data, and is undone', () => {
    const reverting = code(0xab, 0, 'MSTORE8', 1, 0, 'REVERT')
    const stored = BigInt(toHex(reverting)) << BigInt(8 * (32 - reverting.length))
    const { value, world } = run(
      returning(stored, 0, 'MSTORE', reverting.length, 0, 3, 'CREATE RETURNDATASIZE', 256, 'MUL ADD'),
      { installed: { balance: 3n } },
    )
    expect(value).toBe(256n)
    expect(world.balance(CONTRACT)).toBe(3n)
    expect(world.exists(createAddress(CONTRACT, 0n))).toBe(false)
  })

  test('when it succeeds, then there are no return data', () => {
    expect(run(returning([INIT.length, 0, 0], 'CREATE POP RETURNDATASIZE')).value).toBe(0n)
  })
})

test('given a new contract before EIP-161, when it creates, then its nonce began at 0', () => {
  const { value, world } = run(creating(INIT), { fork: 'homestead' })
  expect(world.nonce(addressOf(value))).toBe(0n)
})

test('given nested creations, when they are as deep as calls can be, then they work', () => {
  // Each initialization code creates once more with its own code, and leaves it at that when that fails.
  const nesting = code('CODESIZE', 0, 0, 'CODECOPY CODESIZE', 0, 0, 'CREATE')
  const { result } = runCreation(nesting, 'osaka', { gasLimit: 2n ** 50n })
  expect(result.success).toBe(true)
})
