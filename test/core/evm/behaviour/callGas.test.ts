import { describe, expect, test } from 'bun:test'
import { bytesToBigint } from '../../../../core/bytes/integer.ts'
import { FORKS, type ForkName, forkIsAtLeast } from '../../../../core/genesis/fork.ts'
import { address, assemble, CONTRACT, reasonOf, RETURN_TOP, run } from './support.ts'

const OTHER = address(0x07e5)
const HAS_WEI = { contract: { balance: 100n } } as const

/** Gas of looking at an account in code that has not done so before: Yellow Paper, EIP-150, EIP-2929. */
const lookGas = (fork: ForkName): bigint => {
  if (forkIsAtLeast(fork, 'berlin')) return 2600n
  return forkIsAtLeast(fork, 'tangerineWhistle') ? 700n : 40n
}

const PUSHES = { CALL: 21n, CALLCODE: 21n, DELEGATECALL: 18n, STATICCALL: 18n } as const
type Kind = keyof typeof PUSHES
const KINDS: readonly (readonly [Kind, ForkName])[] = [
  ['CALL', 'frontier'],
  ['CALLCODE', 'frontier'],
  ['DELEGATECALL', 'homestead'],
  ['STATICCALL', 'byzantium'],
]

describe.each(FORKS.map(fork => [fork]))('given %s', fork => {
  const others = [[OTHER, { balance: 1n }]] as const
  const callWith = (kind: Kind, wei: number, gas: number, to = '0x07e5'): string =>
    `0 0 0 0 ${PUSHES[kind] === 21n ? wei : ''} ${to} ${gas} ${kind}`

  test('when a call goes to an existing account, then it costs the access', () => {
    for (const [kind, since] of KINDS)
      if (forkIsAtLeast(fork, since)) {
        const { gas } = run(callWith(kind, 0, 0), { fork, others })
        expect([kind, gas]).toEqual([kind, PUSHES[kind] + lookGas(fork)])
      }
  })

  test('when it sends value, then it costs 9,000, of which 2,300 return, and 25,000 for a new account', () => {
    const sending = PUSHES.CALL + lookGas(fork) + 9000n - 2300n
    expect(run(callWith('CALL', 1, 0), { fork, others, ...HAS_WEI }).gas).toBe(sending)
    expect(run(callWith('CALL', 1, 0), { fork, ...HAS_WEI }).gas).toBe(sending + 25_000n)
    // CALLCODE gives the money to its own account, which is there.
    expect(run(callWith('CALLCODE', 1, 0), { fork, ...HAS_WEI }).gas).toBe(sending)
    // Without money an account that is not there is made, and paid for, before EIP-161 alone.
    const making = forkIsAtLeast(fork, 'spuriousDragon') ? 0n : 25_000n
    expect(run(callWith('CALL', 0, 0), { fork }).gas).toBe(PUSHES.CALL + lookGas(fork) + making)
  })

  test('when it passes gas on, then the callee has it with the stipend on top', () => {
    const gasSeen = assemble(`GAS ${RETURN_TOP}`)
    const ask = (wei: number, gas: number): bigint =>
      run(`32 0 0 0 ${wei} 0x07e5 ${gas} CALL POP 32 0 RETURN`, {
        fork,
        ...HAS_WEI,
        others: [[OTHER, { code: gasSeen }]],
      }).value
    expect(ask(0, 1000)).toBe(998n)
    expect(ask(1, 1000)).toBe(3298n)
    expect(ask(1, 0)).toBe(2298n)
  })

  test('when it asks for more than there is, then it passes all but a 64th since EIP-150, and is out of gas before', () => {
    const gasLimit = 100_000n
    const outcome = run('32 0 0 0 0 0x07e5 GAS 1 ADD CALL POP 32 0 RETURN', {
      fork,
      others: [[OTHER, { code: assemble(`GAS ${RETURN_TOP}`) }]],
      transaction: { gasLimit },
    })
    if (!forkIsAtLeast(fork, 'tangerineWhistle')) {
      expect([reasonOf(outcome), outcome.gasUsed]).toEqual(['Out of gas', gasLimit])
      return
    }
    const left = gasLimit - 21_000n - 18n - 2n - 3n - 3n - lookGas(fork) - 3n
    expect(outcome.value).toBe(left - left / 64n - 2n)
  })
})

test('when calls nest, then each depth keeps its 64th', () => {
  const gasLimit = 5_000_000n
  const depth = 40
  // Calls itself with all gas while the first word of the data is not zero, one less each time; answers the gas at the end.
  const code = assemble(`
    0 CALLDATALOAD @deeper JUMPI GAS ${RETURN_TOP}
    deeper: 1 0 CALLDATALOAD SUB 0 MSTORE
    32 0 32 0 0 ADDRESS GAS CALL POP 32 0 RETURN`)
  const data = new Uint8Array(32)
  data[31] = depth
  const { value } = run(code, { transaction: { gasLimit, data } })
  let gas = gasLimit - 21_000n - 31n * 4n - 16n
  const test = 3n + 3n + 3n + 10n
  for (let i = 0; i < depth; i++) {
    gas -= test
    gas -= 1n + 3n + 3n + 3n + 3n + 3n + 3n + 3n
    gas -= 5n * 3n + 2n + 2n + 100n
    gas -= gas / 64n
  }
  expect(value).toBe(gas - test - 2n)
})

describe('given a call that does not begin', () => {
  test('when the balance is too low, then gas and stipend return, without return data', () => {
    const { value, gas } = run(`0 0 0 0 101 0x07e5 50000 CALL RETURNDATASIZE ADD ${RETURN_TOP}`, {
      ...HAS_WEI,
      others: [[OTHER, { code: assemble('INVALID') }]],
    })
    expect(value).toBe(0n)
    expect(gas).toBe(21n + 2600n + 9000n - 2300n + 2n + 3n + 15n)
  })

  test('when an earlier call returned data, then they are gone', () => {
    const others = [[OTHER, { code: assemble('96 0 RETURN') }]] as const
    const first = '0 0 0 0 0 0x07e5 50000 CALL POP'
    expect(run(`${first} RETURNDATASIZE ${RETURN_TOP}`, { others }).value).toBe(96n)
    expect(
      run(`${first} 0 0 0 0 1 0x07e5 50000 CALL POP RETURNDATASIZE ${RETURN_TOP}`, { others }).value,
    ).toBe(0n)
    expect(run(`${first} 0 0 1 CREATE POP RETURNDATASIZE ${RETURN_TOP}`, { others }).value).toBe(0n)
  })
})

describe('given precompiles by fork', () => {
  const first: readonly (readonly [address: number, since: ForkName])[] = [
    [0x01, 'frontier'],
    [0x04, 'frontier'],
    [0x05, 'byzantium'],
    [0x08, 'byzantium'],
    [0x09, 'istanbul'],
    [0x0a, 'cancun'],
    [0x0b, 'prague'],
    [0x11, 'prague'],
    [0x100, 'osaka'],
  ]

  test('when they are called, then they are warm since their fork (EIP-2929), and cold before it', () => {
    for (const [at, since] of first)
      for (const fork of ['berlin', 'london', 'shanghai', 'cancun', 'prague', 'osaka'] as const)
        expect([at, fork, run(`${at} BALANCE`, { fork }).gas - 3n]).toEqual([
          at,
          fork,
          forkIsAtLeast(fork, since) ? 100n : 2600n,
        ])
    for (const at of [0x00, 0x12, 0xff, 0x101])
      expect([at, run(`${at} BALANCE`).gas - 3n]).toEqual([at, 2600n])
  })

  test('when they fail, then they use all gas they were given, and nothing else', () => {
    // BLAKE2F wants 213 bytes exactly.
    const { value, gas } = run(`0 0 0 0 0 9 10000 CALL ${RETURN_TOP}`)
    expect([value, gas]).toEqual([0n, 21n + 100n + 10_000n + 15n])
  })

  test('when they receive value, then they keep it', () => {
    const { chain } = run('0 0 0 0 5 4 10000 CALL', HAS_WEI)
    expect(chain.world().balance(address(4))).toBe(5n)
  })
})

test('given a transaction, when accounts are accessed, then sender, contract, and since EIP-3651 the beneficiary are warm', () => {
  expect(run('ORIGIN BALANCE', { fork: 'berlin' }).gas).toBe(102n)
  expect(run('ADDRESS BALANCE', { fork: 'berlin' }).gas).toBe(102n)
  expect(run('COINBASE BALANCE', { fork: 'paris' }).gas).toBe(2602n)
  expect(run('COINBASE BALANCE', { fork: 'shanghai' }).gas).toBe(102n)
})

test('given a word as address, when bytes stand above the 20, then they are ignored', () => {
  const high = (1n << 255n) + bytesToBigint(CONTRACT)
  expect(run(`${high} BALANCE ${RETURN_TOP}`, HAS_WEI).value).toBe(100n)
  const { chain } = run(`0 0 0 0 5 ${(1n << 200n) + 0x07e5n} 10000 CALL`, HAS_WEI)
  expect(chain.world().balance(OTHER)).toBe(5n)
})
