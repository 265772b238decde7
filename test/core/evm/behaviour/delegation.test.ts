import { describe, expect, test } from 'bun:test'
import { type Address, concatBytes, EMPTY_BYTES } from '../../../../core/bytes/bytes.ts'
import { toHex } from '../../../../core/bytes/hex.ts'
import { bytesToBigint } from '../../../../core/bytes/integer.ts'
import type { Authorization } from '../../../../core/block/transaction.ts'
import { addressOfPrivateKey, keccak256, sign } from '../../../../core/crypto/crypto.ts'
import { encodeRlp } from '../../../../core/rlp/rlp.ts'
import type { FirstAccount } from './memoryState.ts'
import {
  address,
  assemble,
  CHAIN_ID,
  CONTRACT,
  createChain,
  RETURN_TOP,
  reasonOf,
  run,
  slotOf,
  word,
} from './support.ts'

const KEY = word(0x7702)
const AUTHORITY = addressOfPrivateKey(KEY)
const AUTHORITY_TEXT = toHex(AUTHORITY)
const DELEGATE = address(0xde1e)

const designator = (to: Address): Uint8Array => concatBytes(Uint8Array.of(0xef, 0x01, 0x00), to)

const authorize = (nonce = 0n, to = DELEGATE, chainId = CHAIN_ID): Authorization => {
  const hash = keccak256(concatBytes(Uint8Array.of(0x05), encodeRlp([chainId, to, nonce])))
  const { r, s, yParity } = sign(hash, KEY)
  return { chainId, address: to, nonce, yParity: BigInt(yParity), r: bytesToBigint(r), s: bytesToBigint(s) }
}

const setting = (...authorizationList: Authorization[]) => ({ type: 4, authorizationList }) as const

/** A chain whose authority delegates already, in the state. */
const delegating = (code: string, caller: string, authority: FirstAccount = {}) =>
  run(caller, {
    others: [
      [AUTHORITY, { ...authority, code: designator(DELEGATE) }],
      [DELEGATE, { code: assemble(code) }],
    ],
  })

describe('given a set-code transaction over blocks', () => {
  const chain = createChain('prague', [
    [DELEGATE, { code: assemble('1 SLOAD 1 ADD 1 SSTORE') }],
    [address(0xde2e), { code: assemble('1 SLOAD 10 ADD 1 SSTORE') }],
  ])

  test('when it sets a delegation, then the next blocks have it, and storage survives every delegate', () => {
    chain.send({ ...setting(authorize()), to: AUTHORITY })
    const { accounts, codes } = chain.seal()
    expect(codes.map(({ code }) => code)).toEqual([designator(DELEGATE)])
    expect(accounts.some(change => change.after?.nonce === 1n && change.slots.length === 1)).toBe(true)

    chain.send({ to: AUTHORITY })
    chain.send({ ...setting(authorize(1n, address(0xde2e))), to: AUTHORITY })
    expect(slotOf(chain.world(), AUTHORITY, 1)).toBe(12n)
    chain.seal()

    chain.send({ ...setting(authorize(2n, address(0))), to: AUTHORITY })
    chain.send({ to: AUTHORITY })
    expect(chain.world().code(AUTHORITY)).toEqual(EMPTY_BYTES)
    expect([slotOf(chain.world(), AUTHORITY, 1), chain.world().nonce(AUTHORITY)]).toEqual([12n, 3n])
  })
})

describe('given the gas of a set-code transaction', () => {
  const CALLED = 21_000n

  test('when it has authorizations, then each costs 25,000, with 12,500 back for an existing account', () => {
    const sent = (authority: FirstAccount | undefined, ...list: Authorization[]) => {
      const outcome = run('100000 0 LOG0', {
        others: authority === undefined ? [] : [[AUTHORITY, authority]],
        transaction: setting(...list),
      })
      const work = 6n + 375n + 800_000n + 3n * 3125n + 3125n ** 2n / 512n
      return [outcome.gasUsedMax - CALLED - work, outcome.refund]
    }
    expect(sent(undefined, authorize())).toEqual([25_000n, 0n])
    expect(sent({ balance: 1n }, authorize())).toEqual([25_000n, 12_500n])
    // The first makes the account that the second finds.
    expect(sent(undefined, authorize(), authorize(1n))).toEqual([50_000n, 12_500n])
    expect(sent({ balance: 1n }, authorize(9n), authorize(0n, DELEGATE, 5n))).toEqual([50_000n, 0n])
  })

  test('when nonce or code refuse one, then its authority is warm nevertheless; not with another chain id', () => {
    const look = `${AUTHORITY_TEXT} BALANCE`
    const gasOf = (authorization: Authorization, authority: FirstAccount = {}): bigint =>
      run(look, { others: [[AUTHORITY, authority]], transaction: setting(authorization) }).gas - 25_000n - 3n
    expect(gasOf(authorize())).toBe(100n)
    expect(gasOf(authorize(3n))).toBe(100n)
    expect(gasOf(authorize(), { code: assemble('STOP') })).toBe(100n)
    expect(gasOf(authorize(0n, DELEGATE, 5n))).toBe(2600n)
    expect(gasOf(authorize(2n ** 64n - 1n))).toBe(2600n)
    expect(gasOf({ ...authorize(), r: 0n })).toBe(2600n)
  })

  test('when the transaction calls the account itself, then the delegate is warm, otherwise cold', () => {
    const look = assemble(`${toHex(DELEGATE)} BALANCE`)
    const to = { [toHex(AUTHORITY)]: AUTHORITY, [toHex(CONTRACT)]: CONTRACT }
    const gasTo = (at: Address): bigint =>
      run(look, {
        others: [
          [AUTHORITY, { code: designator(DELEGATE) }],
          [DELEGATE, { code: look }],
        ],
        transaction: { to: to[toHex(at)] },
      }).gas - 3n
    expect(gasTo(AUTHORITY)).toBe(100n)
    expect(gasTo(CONTRACT)).toBe(2600n)
  })
})

describe('given calls to an account that delegates', () => {
  const ASK = (how: string, wei = '') => `32 0 0 0 ${wei} ${AUTHORITY_TEXT} GAS ${how} POP 32 0 RETURN`

  test.each([
    ['CALL', '0', 'ADDRESS', bytesToBigint(AUTHORITY)],
    ['CALLCODE', '0', 'ADDRESS', bytesToBigint(CONTRACT)],
    ['DELEGATECALL', '', 'ADDRESS', bytesToBigint(CONTRACT)],
    ['STATICCALL', '', 'ADDRESS', bytesToBigint(AUTHORITY)],
    // CODESIZE and CODECOPY are of the code that runs.
    ['CALL', '0', 'CODESIZE', 9n],
  ] as const)('when %s runs, then the delegate’s code sees %p %s', (how, wei, asked, expected) => {
    expect(delegating(`${asked} ${RETURN_TOP}`, ASK(how, wei)).value).toBe(expected)
  })

  test('when it is STATICCALL, then the delegate is static, too', () => {
    const { value } = delegating('1 1 SSTORE', `0 0 0 0 ${AUTHORITY_TEXT} 50000 STATICCALL ${RETURN_TOP}`)
    expect(value).toBe(0n)
  })

  test('when both are accessed, then both costs are paid, cold or warm', () => {
    const call = `0 0 0 0 0 ${AUTHORITY_TEXT} 0 CALL POP`
    const base = 7n * 3n + 2n
    expect(delegating('STOP', call).gas).toBe(base + 5200n)
    expect(delegating('STOP', `${call} ${call}`).gas).toBe(2n * base + 5200n + 200n)
    expect(delegating('STOP', `${toHex(DELEGATE)} BALANCE POP ${call}`).gas).toBe(5n + 2600n + base + 2700n)
  })

  test('when there is too little gas for the delegate’s access, then it halts before any gas is passed on', () => {
    const call = `0 0 0 0 0 ${AUTHORITY_TEXT} 0 CALL`
    const withGas = (gas: bigint) =>
      run(call, {
        others: [
          [AUTHORITY, { code: designator(DELEGATE) }],
          [DELEGATE, { code: assemble('STOP') }],
        ],
        transaction: { gasLimit: 21_000n + gas },
      })
    expect(reasonOf(withGas(21n + 5199n))).toBe('Out of gas')
    expect(withGas(21n + 5200n).success).toBe(true)
  })

  test('when two accounts delegate to each other, then nothing runs', () => {
    const other = address(0xde2e)
    const { value } = run(`0 0 0 0 0 ${toHex(other)} 50000 CALL ${RETURN_TOP}`, {
      others: [
        [other, { code: designator(DELEGATE) }],
        [DELEGATE, { code: designator(other) }],
      ],
    })
    expect(value).toBe(0n)
  })

  test('when the delegate has no code, then it is a call to an account without code', () => {
    const { value } = run(`0 0 0 0 0 ${AUTHORITY_TEXT} 50000 CALL ${RETURN_TOP}`, {
      others: [[AUTHORITY, { code: designator(DELEGATE) }]],
    })
    expect(value).toBe(1n)
  })
})

test('given SELFDESTRUCT in the delegate’s code, when it runs, then the balance goes and the delegation stays', () => {
  const { chain } = delegating('0x4e14 SELFDESTRUCT', `0 0 0 0 0 ${AUTHORITY_TEXT} GAS CALL`, { balance: 8n })
  expect([chain.world().balance(AUTHORITY), chain.world().balance(address(0x4e14))]).toEqual([0n, 8n])
  expect(chain.world().code(AUTHORITY)).toEqual(designator(DELEGATE))
})

test('given an account that delegates, when it creates contracts, then it uses its own nonce', () => {
  const { chain } = delegating('0 0 0 CREATE', `0 0 0 0 0 ${AUTHORITY_TEXT} GAS CALL`, { nonce: 4n })
  expect(chain.world().nonce(AUTHORITY)).toBe(5n)
})

test('given code that begins like a designator, when it is deployed, then it is refused (EIP-3541)', () => {
  const outcome = run(EMPTY_BYTES, {
    transaction: { to: undefined, data: assemble(`${toHex(designator(DELEGATE))} 0 MSTORE 23 9 RETURN`) },
  })
  expect(reasonOf(outcome)).toBe('Code is invalid')
})
