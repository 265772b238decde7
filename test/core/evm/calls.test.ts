import { describe, expect, test } from 'bun:test'
import { bytesToBigint } from '../../../core/bytes/integer.ts'
import { address, CALLER, CONTRACT, code, reasonOf, returning, run, word, type Part } from './harness.ts'

const OTHER = 0x07e5
const OTHER_ADDRESS = address(OTHER)

/** Operands of a call to OTHER, lowest first: output, input, value where there is one, address, gas. */
const operands = (value: number | undefined, gas: number | bigint = 1_000_000): (number | bigint)[] =>
  value === undefined ? [32, 0, 0, 0, OTHER, gas] : [32, 0, 0, 0, value, OTHER, gas]

const callOther = (name: string, value?: number): readonly Part[] => [...operands(value), name]

/** Runs code that calls OTHER, whose code is given. */
const runWith = (otherCode: Uint8Array, parts: readonly Part[], options: Parameters<typeof run>[1] = {}) =>
  run(code(...parts), { others: [[OTHER_ADDRESS, { code: otherCode }]], ...options })

const outputWord: readonly Part[] = ['POP', 32, 0, 'RETURN']

describe('given each kind of call', () => {
  test.each([
    ['CALL', 0, 'ADDRESS', bytesToBigint(OTHER_ADDRESS)],
    ['CALL', 0, 'CALLER', bytesToBigint(CONTRACT)],
    ['CALL', 3, 'CALLVALUE', 3n],
    ['CALLCODE', 0, 'ADDRESS', bytesToBigint(CONTRACT)],
    ['CALLCODE', 0, 'CALLER', bytesToBigint(CONTRACT)],
    ['CALLCODE', 3, 'CALLVALUE', 3n],
    ['DELEGATECALL', undefined, 'ADDRESS', bytesToBigint(CONTRACT)],
    ['DELEGATECALL', undefined, 'CALLER', bytesToBigint(CALLER)],
    ['DELEGATECALL', undefined, 'CALLVALUE', 9n],
    ['STATICCALL', undefined, 'ADDRESS', bytesToBigint(OTHER_ADDRESS)],
    ['STATICCALL', undefined, 'CALLER', bytesToBigint(CONTRACT)],
    ['STATICCALL', undefined, 'CALLVALUE', 0n],
  ] as const)(
    'when %s runs with value %p, then address, caller and value are %s',
    (name, value, asked, expected) => {
      const { value: answer } = runWith(returning(asked), [...callOther(name, value), ...outputWord], {
        message: { value: 9n },
      })
      expect(answer).toBe(expected)
    },
  )

  test('when CALL and CALLCODE send value, then only CALL moves it', () => {
    const sent = runWith(code('STOP'), callOther('CALL', 5), { installed: { balance: 8n } })
    expect([sent.world.balance(CONTRACT), sent.world.balance(OTHER_ADDRESS)]).toEqual([3n, 5n])
    const shown = runWith(code('STOP'), callOther('CALLCODE', 5), { installed: { balance: 8n } })
    expect([shown.world.balance(CONTRACT), shown.world.balance(OTHER_ADDRESS)]).toEqual([8n, 0n])
  })
})

describe('given the results of a call', () => {
  test('when it returns, reverts or halts, then the item is one or zero, and the output one’s own or none', () => {
    const ask = (otherCode: Uint8Array) => ({
      success: runWith(otherCode, [...callOther('CALL', 0), 0, 'MSTORE', 32, 0, 'RETURN']).value,
      size: runWith(otherCode, [...callOther('CALL', 0), 'RETURNDATASIZE', 0, 'MSTORE', 32, 0, 'RETURN'])
        .value,
      output: runWith(otherCode, [...callOther('CALL', 0), ...outputWord]).value,
    })
    expect(ask(code(7, 0, 'MSTORE', 64, 0, 'RETURN'))).toEqual({ success: 1n, size: 64n, output: 7n })
    expect(ask(code(7, 0, 'MSTORE', 64, 0, 'REVERT'))).toEqual({ success: 0n, size: 64n, output: 7n })
    expect(ask(code('INVALID'))).toEqual({ success: 0n, size: 0n, output: 0n })
    expect(ask(new Uint8Array(0))).toEqual({ success: 1n, size: 0n, output: 0n })
  })

  test('when the output is short, then the memory after it stays', () => {
    const { value } = runWith(code(0xaa, 0, 'MSTORE8', 1, 0, 'RETURN'), [
      (1n << 256n) - 1n,
      0,
      'MSTORE',
      ...callOther('CALL', 0),
      ...outputWord,
    ])
    expect(value).toBe((0xaan << 248n) | ((1n << 248n) - 1n))
  })

  test('when the callee runs, then it has the input, and cannot change it', () => {
    const echo = code(32, 0, 0, 'CALLDATACOPY', 1, 0, 'MSTORE', 32, 0, 0, 'CALLDATACOPY', 32, 0, 'RETURN')
    const { value } = runWith(echo, [
      77,
      0,
      'MSTORE',
      [32, 64, 32, 0, 0, OTHER, 1_000_000],
      'CALL POP',
      0,
      'MLOAD',
      64,
      'MLOAD ADD',
      0,
      'MSTORE',
      32,
      0,
      'RETURN',
    ])
    expect(value).toBe(154n)
  })

  test('when its memory changes, then the return data stay', () => {
    const { value } = runWith(returning(42), [
      ...callOther('CALL', 0),
      'POP',
      1,
      4096,
      'MSTORE',
      32,
      0,
      0,
      'RETURNDATACOPY',
      32,
      0,
      'RETURN',
    ])
    expect(value).toBe(42n)
  })

  test('when the address is a precompile’s, then it runs in place of code', () => {
    const { value } = run(
      code(
        7,
        0,
        'MSTORE',
        32,
        32,
        32,
        0,
        0,
        4,
        10_000,
        'CALL',
        32,
        'MLOAD ADD',
        0,
        'MSTORE',
        32,
        0,
        'RETURN',
      ),
    )
    expect(value).toBe(8n)
    const failed = run(returning(32, 32, 32, 0, 0, 4, 10, 'CALL'))
    expect(failed.value).toBe(0n)
  })
})

describe('given a failed call', () => {
  const actions: readonly Part[] = [5, 1, 'SSTORE', 6, 2, 'TSTORE', 0, 0, 'LOG0']

  test.each(['REVERT', 'INVALID'])(
    'when it wrote storage, transient storage, logs or value (%s), then that is undone',
    name => {
      const failing = code(...actions, ...(name === 'REVERT' ? [0, 0] : []), name)
      const { world, result } = runWith(failing, [...callOther('CALL', 4)], { installed: { balance: 10n } })
      expect(result.success).toBe(true)
      expect(result.logs).toEqual([])
      expect(world.storage(OTHER_ADDRESS, word(1))).toEqual(word(0))
      expect([world.balance(CONTRACT), world.balance(OTHER_ADDRESS)]).toEqual([10n, 0n])
    },
  )

  test('when the caller wrote before, then that stays', () => {
    const { world } = runWith(code(9, 1, 'SSTORE', 0, 0, 'REVERT'), [
      8,
      1,
      'SSTORE',
      ...operands(undefined),
      'DELEGATECALL',
      [1, 'SLOAD', 2, 'SSTORE'],
    ])
    expect(world.storage(CONTRACT, word(1))).toEqual(word(8))
    expect(world.storage(CONTRACT, word(2))).toEqual(word(8))
  })

  test('when it accessed accounts, then they are cold again (EIP-2929)', () => {
    const look = code(1, 'SLOAD', 0x9999, 'BALANCE', 0, 0, 'REVERT')
    const twice = runWith(look, [...callOther('CALL', 0), ...callOther('CALL', 0)])
    const once = runWith(look, [...callOther('CALL', 0)])
    expect(twice.gas - once.gas).toBe(once.gas - 2500n - 3n)
  })

  test('when the whole transaction fails, then all is undone, and it pays nevertheless', () => {
    const { world, result } = run(code(5, 1, 'SSTORE', 'INVALID'), {
      message: { value: 3n, gasLimit: 100_000n },
    })
    expect(result).toMatchObject({ success: false, gasUsed: 100_000n, logs: [], output: new Uint8Array(0) })
    expect(world.storage(CONTRACT, word(1))).toEqual(word(0))
    expect(world.balance(CONTRACT)).toBe(0n)
    expect(world.nonce(CALLER)).toBe(1n)
  })
})

describe('given the gas of calls', () => {
  test('when a call asks for all gas, then a 64th stays since EIP-150, and before it was all or nothing', () => {
    const asked = [...operands(0, 2n ** 255n), 'CALL', ...outputWord]
    const gasGiven = (fork: 'homestead' | 'osaka') =>
      runWith(returning('GAS'), asked, { fork, message: { gasLimit: 100_000n } })
    expect(reasonOf(gasGiven('homestead'))).toBe('Out of gas')
    const left = 100_000n - 21_000n - 3n * 7n - 3n - 2600n
    expect(gasGiven('osaka').value).toBe(left - left / 64n - 2n)
  })

  test('when it sends value, then it costs 9,000, gives 2,300, and 25,000 more for a new account', () => {
    const gasOf = (value: number, balance: bigint | undefined): bigint =>
      run(code(...callOther('CALL', value)), {
        installed: { balance: 10n },
        others: balance === undefined ? [] : [[OTHER_ADDRESS, { balance }]],
      }).gas
    const plain = 3n * 7n + 2600n + 3n
    expect(gasOf(0, undefined)).toBe(plain)
    expect(gasOf(1, 1n)).toBe(plain + 9000n - 2300n)
    expect(gasOf(1, undefined)).toBe(plain + 9000n - 2300n + 25_000n)
  })

  test('when it sends none before EIP-161, then it creates the account and pays for it', () => {
    const { gas, world } = run(code(...callOther('CALL', 0)), { fork: 'homestead' })
    expect(gas).toBe(3n * 7n + 40n + 25_000n + 3n)
    expect(world.exists(OTHER_ADDRESS)).toBe(true)
    const later = run(code(...callOther('CALL', 0)), { fork: 'spuriousDragon' })
    expect(later.gas).toBe(3n * 7n + 700n + 3n)
    expect(later.world.exists(OTHER_ADDRESS)).toBe(false)
  })

  test('when the balance is too low, then its gas returns', () => {
    const { gas, value } = runWith(code('INVALID'), [...callOther('CALL', 5), 0, 'MSTORE', 32, 0, 'RETURN'])
    expect(value).toBe(0n)
    expect(gas).toBe(3n * 7n + 2600n + 9000n + 3n - 2300n + 12n)
  })
})

describe('given STATICCALL', () => {
  test.each([
    ['SSTORE', code(1, 1, 'SSTORE')],
    ['TSTORE', code(1, 1, 'TSTORE')],
    ['LOG0', code(0, 0, 'LOG0')],
    ['CREATE', code(0, 0, 0, 'CREATE')],
    ['CREATE2', code(0, 0, 0, 0, 'CREATE2')],
    ['SELFDESTRUCT', code(0, 'SELFDESTRUCT')],
    ['CALL with value', code(0, 0, 0, 0, 1, 0x9999, 0, 'CALL')],
  ])('when %s runs, even further down, then it is refused', (_, forbidden) => {
    const success = [0, 'MSTORE', 32, 0, 'RETURN'] as const
    expect(runWith(forbidden, [...callOther('STATICCALL'), ...success]).value).toBe(0n)
    const through = run(code(...callOther('STATICCALL'), ...success), {
      others: [
        [OTHER_ADDRESS, { code: returning(0, 0, 0, 0, 0x1234, 100_000, 'DELEGATECALL') }],
        [address(0x1234), { code: forbidden }],
      ],
    })
    expect(through.value).toBe(1n)
    expect(through.world.storage(OTHER_ADDRESS, word(1))).toEqual(word(0))
  })

  test('when CALLCODE sends value, then it is allowed: nothing moves', () => {
    const inner = returning(0, 0, 0, 0, 0, 0x9999, 0, 'CALLCODE')
    expect(runWith(inner, [...callOther('STATICCALL'), ...outputWord]).value).toBe(1n)
  })
})

describe('given the call depth', () => {
  /** Counts how deep it gets: calls itself with all gas, and adds one to what comes back. */
  const countDepth = code(32, 0, 0, 0, 0, 'ADDRESS GAS CALL', 0, 'MLOAD ADD', 0, 'MSTORE', 32, 0, 'RETURN')

  test('when a transaction has 1,024 frames above the first, then no native stack overflows', () => {
    const { value } = run(countDepth, { message: { gasLimit: 2n ** 50n } })
    expect(value).toBe(1024n)
  })

  test('when gas exceeds 2^53, then it is counted exactly', () => {
    const gasLimit = 2n ** 63n - 25n
    const { result } = run(returning('GAS'), { message: { gasLimit } })
    expect(bytesToBigint(result.output)).toBe(gasLimit - 21_000n - 2n)
    const burning = runWith(code('INVALID'), [operands(0, 2n ** 255n), 'CALL'], {
      message: { gasLimit },
    })
    const left = gasLimit - 21_000n - 3n * 7n - 3n - 2600n
    expect(burning.result.gasUsed).toBe(gasLimit - left / 64n)
  })
})

test('given a contract that calls itself, when the inner call writes, then the outer one sees it', () => {
  // Counts in slot 1 up to three, calling itself; the JUMPDEST stands at 31.
  const counting = code(
    [1, 'SLOAD', 1, 'ADD DUP1', 1, 'SSTORE', 3, 'GT ISZERO', 31, 'JUMPI'],
    [0, 0, 0, 0, 0, 'ADDRESS GAS CALL STOP JUMPDEST'],
  )
  const { result, world } = run(counting)
  expect(result.success).toBe(true)
  expect(world.storage(CONTRACT, word(1))).toEqual(word(3))
})
