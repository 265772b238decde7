import { describe, expect, test } from 'bun:test'
import { type Address, EMPTY_BYTES } from '../../../core/bytes/bytes.ts'
import { toHex } from '../../../core/bytes/hex.ts'
import { bigintToFixedBytes } from '../../../core/bytes/integer.ts'
import { FORKS, type ForkName, forkIsAtLeast } from '../../../core/genesis/fork.ts'
import { address, CONTRACT, code, deploying, run, word } from './harness.ts'

const HEIR = 0x4e14
const HEIR_ADDRESS = address(HEIR)
const leavingTo = (heir: number | 'ADDRESS'): Uint8Array => code(heir, 'SELFDESTRUCT')

describe.each(FORKS.filter(fork => fork !== 'muirGlacier' && !fork.endsWith('lacier')))(
  'given SELFDESTRUCT in %s',
  fork => {
    const goes = !forkIsAtLeast(fork, 'cancun')

    test('when it runs, then the beneficiary gets the balance, and the account goes until Cancun', () => {
      const { world } = run(leavingTo(HEIR), { fork, installed: { balance: 5n, storage: { 1: 2n } } })
      expect([world.balance(HEIR_ADDRESS), world.balance(CONTRACT)]).toEqual([5n, 0n])
      expect(world.exists(CONTRACT)).toBe(!goes)
      expect(world.code(CONTRACT)).toEqual(goes ? EMPTY_BYTES : leavingTo(HEIR))
      expect(world.storage(CONTRACT, word(1))).toEqual(word(goes ? 0 : 2))
    })

    test('when the beneficiary is the contract, then the balance is burnt until Cancun', () => {
      const { world } = run(leavingTo('ADDRESS'), { fork, installed: { balance: 5n } })
      expect(world.balance(CONTRACT)).toBe(goes ? 0n : 5n)
      expect(world.exists(CONTRACT)).toBe(!goes)
    })

    test('when the contract is of the same transaction, then it always goes', () => {
      const dying = deploying(code(HEIR, 'SELFDESTRUCT'))
      const stored = BigInt(toHex(dying)) << BigInt(8 * (32 - dying.length))
      const { world, value } = run(
        code(
          stored,
          0,
          'MSTORE',
          dying.length,
          0,
          3,
          'CREATE DUP1',
          0,
          'MSTORE',
          [0, 0, 0, 0, 0],
          'DUP6',
          500_000,
          'CALL',
          32,
          0,
          'RETURN',
        ),
        { fork, installed: { balance: 3n } },
      )
      const created: Address = bigintToFixedBytes(value, 20)
      expect(world.balance(HEIR_ADDRESS)).toBe(3n)
      expect(world.exists(created)).toBe(false)
      expect(world.changes(1n).accounts.some(change => change.address === created)).toBe(false)
    })
  },
)

describe('given its gas', () => {
  const use = (fork: ForkName, options: { balance?: bigint; heirBalance?: bigint } = {}) => {
    const { balance = 0n, heirBalance } = options
    const { gas, result } = run(leavingTo(HEIR), {
      fork,
      installed: { balance },
      others: heirBalance === undefined ? [] : [[HEIR_ADDRESS, { balance: heirBalance }]],
    })
    return { gas: gas - 3n, refund: result.gasUsedMax - result.gasUsed }
  }

  test('when forks differ, then it is 0, 5,000 since EIP-150, and the cold access since EIP-2929', () => {
    expect(use('homestead', { heirBalance: 1n }).gas).toBe(0n)
    expect(use('tangerineWhistle', { heirBalance: 1n }).gas).toBe(5000n)
    expect(use('berlin', { heirBalance: 1n }).gas).toBe(7600n)
  })

  test('when the beneficiary is new, then it is 25,000 more, since EIP-161 only with a balance', () => {
    expect(use('tangerineWhistle').gas).toBe(30_000n)
    expect(use('spuriousDragon').gas).toBe(5000n)
    expect(use('spuriousDragon', { balance: 1n }).gas).toBe(30_000n)
  })

  test('when it runs before London, then 24,000 are refunded, once an account', () => {
    expect(use('berlin', { heirBalance: 1n }).refund).toBe((21_000n + 3n + 7600n) / 2n)
    expect(use('london', { heirBalance: 1n }).refund).toBe(0n)
    const twice = run(
      code([0, 0, 0, 0, 0, 0x9999, 100_000], 'CALL', [0, 0, 0, 0, 0, 0x9999, 100_000], 'CALL'),
      {
        fork: 'berlin',
        others: [[address(0x9999), { code: leavingTo(0) }]],
        message: { data: new Uint8Array(60_000) },
      },
    )
    expect(twice.result.gasUsedMax - twice.result.gasUsed).toBe(24_000n)
  })
})

test('given a destroyed account, when it changes afterwards, then the changes go with it', () => {
  const { world } = run(
    code([0, 0, 0, 0, 0, 0x9999, 100_000], 'CALL', [0, 0, 0, 0, 7, 0x9999, 100_000], 'CALL'),
    {
      fork: 'shanghai',
      installed: { balance: 7n },
      others: [[address(0x9999), { code: leavingTo(HEIR), nonce: 1n }]],
    },
  )
  expect(world.exists(address(0x9999))).toBe(false)
  expect(world.balance(HEIR_ADDRESS)).toBe(7n)
})

test('given SELFDESTRUCT in a failing call, when the call ends, then it has no effect', () => {
  const failing = code([0, 0, 0, 0, 0x8888, 100_000], 'DELEGATECALL', 0, 0, 'REVERT')
  const { world, result } = run(code([0, 0, 0, 0, 0, 0x9999, 200_000], 'CALL'), {
    fork: 'berlin',
    others: [
      [address(0x9999), { code: failing, balance: 9n }],
      [address(0x8888), { code: leavingTo(HEIR) }],
    ],
  })
  expect(world.balance(address(0x9999))).toBe(9n)
  expect(world.exists(HEIR_ADDRESS)).toBe(false)
  expect(result.gasUsed).toBe(result.gasUsedMax)
})
