import { describe, expect, test } from 'bun:test'
import { type Address, concatBytes, EMPTY_BYTES } from '../../../core/bytes/bytes.ts'
import { bytesToBigint } from '../../../core/bytes/integer.ts'
import type { Authorization } from '../../../core/block/transaction.ts'
import { addressOfPrivateKey, keccak256, sign } from '../../../core/crypto/crypto.ts'
import { authorityOf } from '../../../core/evm/transaction/authorization.ts'
import { encodeRlp } from '../../../core/rlp/rlp.ts'
import { privateKeyToAccount } from 'viem/accounts'
import { toHex } from '../../../core/bytes/hex.ts'
import {
  address,
  CALLER,
  CHAIN_ID,
  CONTRACT,
  code,
  type Installed,
  returning,
  run,
  word,
  worldWith,
} from './harness.ts'

const KEY = word(0xabcdefn)
const AUTHORITY = addressOfPrivateKey(KEY)
const DELEGATE = address(0xde1e)
const ZERO = address(0)

const designator = (to: Address): Uint8Array => concatBytes(Uint8Array.of(0xef, 0x01, 0x00), to)

const authorize = (changes: { chainId?: bigint; nonce?: bigint; to?: Address } = {}): Authorization => {
  const { chainId = CHAIN_ID, nonce = 0n, to = DELEGATE } = changes
  const hash = keccak256(concatBytes(Uint8Array.of(5), encodeRlp([chainId, to, nonce])))
  const { r, s, yParity } = sign(hash, KEY)
  return {
    chainId,
    address: to,
    nonce,
    yParity: BigInt(yParity),
    r: bytesToBigint(r),
    s: bytesToBigint(s),
  }
}

const MARK = code(7, 1, 'SSTORE')

/** A message with authorizations to the authority itself, whose delegate writes a slot. */
const send = (authorizationList: readonly Authorization[], authority?: Installed, to: Address = AUTHORITY) =>
  run(EMPTY_BYTES, {
    world: worldWith([
      [DELEGATE, { code: MARK }],
      ...(authority === undefined ? [] : [[AUTHORITY, authority] as const]),
    ]),
    message: { to, authorizationList },
  })

describe('given an authorization (EIP-7702)', () => {
  test('when a wallet signs it, then its authority is recovered', async () => {
    const account = privateKeyToAccount(toHex(KEY) as `0x${string}`)
    const signed = await account.signAuthorization({
      contractAddress: toHex(DELEGATE) as `0x${string}`,
      chainId: Number(CHAIN_ID),
      nonce: 9,
    })
    const ours = authorize({ nonce: 9n })
    expect([signed.r, signed.s, signed.yParity]).toEqual([
      `0x${ours.r.toString(16)}`,
      `0x${ours.s.toString(16)}`,
      Number(ours.yParity),
    ])
    expect(authorityOf(ours)).toEqual(AUTHORITY)
  })

  test('when it applies, then the account runs the delegate’s code on its own storage at once', () => {
    const { world } = send([authorize()])
    expect(world.code(AUTHORITY)).toEqual(designator(DELEGATE))
    expect(world.nonce(AUTHORITY)).toBe(1n)
    expect(world.storage(AUTHORITY, word(1))).toEqual(word(7))
    expect(world.storage(DELEGATE, word(1))).toEqual(word(0))
  })

  test('when the transaction fails, then it stays', () => {
    const { world, result } = run(EMPTY_BYTES, {
      world: worldWith([[CONTRACT, { code: code('INVALID') }]]),
      message: { authorizationList: [authorize()] },
    })
    expect(result.success).toBe(false)
    expect(world.code(AUTHORITY)).toEqual(designator(DELEGATE))
  })

  test('when the chain id is 0, then it applies on any chain; another replaces it, the zero address clears it', () => {
    expect(send([authorize({ chainId: 0n })]).world.code(AUTHORITY)).toEqual(designator(DELEGATE))
    const again = send([authorize(), authorize({ nonce: 1n, to: address(0x2222) })])
    expect(again.world.code(AUTHORITY)).toEqual(designator(address(0x2222)))
    const cleared = send([authorize({ to: ZERO, nonce: 4n })], { code: designator(DELEGATE), nonce: 4n })
    expect(cleared.world.code(AUTHORITY)).toEqual(EMPTY_BYTES)
    expect(cleared.world.nonce(AUTHORITY)).toBe(5n)
  })

  const order = 0xffffffff_ffffffff_ffffffff_fffffffe_baaedce6_af48a03b_bfd25e8c_d0364141n
  test.each([
    ['another chain', authorize({ chainId: 2n }), undefined],
    ['another nonce', authorize({ nonce: 1n }), undefined],
    ['a nonce that cannot go up', authorize({ nonce: 2n ** 64n - 1n }), { nonce: 2n ** 64n - 1n }],
    ['an authority with code', authorize(), { code: code('STOP') }],
    ['a high s', { ...authorize(), s: order - authorize().s, yParity: 1n - authorize().yParity }, undefined],
    ['a y parity of 2', { ...authorize(), yParity: 2n }, undefined],
    ['no signature', { ...authorize(), r: 0n }, undefined],
    ['r beyond the order', { ...authorize(), r: 2n ** 256n - 1n }, undefined],
  ] as const)('when it has %s, then it is ignored', (_, authorization, authority) => {
    const before = (authority as Installed | undefined)?.code ?? EMPTY_BYTES
    const { world, result } = send([authorization], authority, CONTRACT)
    expect(result.success).toBe(true)
    expect(world.code(AUTHORITY)).toEqual(before)
    expect(world.nonce(AUTHORITY)).toBe((authority as Installed | undefined)?.nonce ?? 0n)
  })

  test('when it is priced, then it costs 25,000, half of which returns for an existing account', () => {
    const fresh = send([authorize()], undefined, CONTRACT).result
    const known = send([authorize()], { balance: 1n }, CONTRACT).result
    expect(fresh.gasUsed).toBe(46_000n)
    expect(known.gasUsedMax - known.gasUsed).toBe(46_000n / 5n)
  })

  test('when it is the sender’s, then its nonce follows the transaction’s', () => {
    const world = worldWith([[DELEGATE, { code: MARK }]])
    const { result } = run(EMPTY_BYTES, {
      world,
      message: { from: AUTHORITY, to: AUTHORITY, authorizationList: [authorize({ nonce: 1n })] },
    })
    expect(result.success).toBe(true)
    expect(world.nonce(AUTHORITY)).toBe(2n)
    expect(world.storage(AUTHORITY, word(1))).toEqual(word(7))
  })
})

describe('given an account that delegates', () => {
  const delegating = { code: designator(DELEGATE) }
  const callAuthority = (runtimeCode: Uint8Array, others: Parameters<typeof worldWith>[0] = []) =>
    run(runtimeCode, {
      others: [[AUTHORITY, delegating], [DELEGATE, { code: returning('CALLER CODESIZE ADD') }], ...others],
    })

  test('when it is called, then the delegate’s code runs, and the access costs as for an account', () => {
    const authority = bytesToBigint(AUTHORITY)
    const call = callAuthority(code(32, 0, 0, 0, 0, authority, 'GAS CALL POP', 32, 0, 'RETURN'))
    expect(call.value).toBe(bytesToBigint(CONTRACT) + BigInt(returning('CALLER CODESIZE ADD').length))
    const once = callAuthority(code(0, 0, 0, 0, 0, authority, 'GAS CALL'))
    const twice = callAuthority(
      code([0, 0, 0, 0, 0, authority], 'GAS CALL', [0, 0, 0, 0, 0, authority], 'GAS CALL'),
    )
    const running = twice.gas - once.gas - 17n - 200n
    expect(once.gas).toBe(17n + 5200n + running)
  })

  test('when EXTCODESIZE, EXTCODEHASH and EXTCODECOPY read it, then they see its own code', () => {
    const authority = bytesToBigint(AUTHORITY)
    expect(callAuthority(returning(authority, 'EXTCODESIZE')).value).toBe(23n)
    expect(callAuthority(returning(authority, 'EXTCODEHASH')).value).toBe(
      bytesToBigint(keccak256(designator(DELEGATE))),
    )
    expect(callAuthority(code(23, 0, 0, authority, 'EXTCODECOPY', 23, 0, 'RETURN')).result.output).toEqual(
      designator(DELEGATE),
    )
  })

  test('when its delegate delegates again, then nothing runs', () => {
    const chained = callAuthority(
      code(0, 0, 0, 0, 0, bytesToBigint(AUTHORITY), 'GAS CALL', 0, 'MSTORE', 32, 0, 'RETURN'),
      [[DELEGATE, { code: designator(address(0x3333)) }]],
    )
    expect(chained.value).toBe(0n)
  })

  test.each([
    ['CALL', [0, 0, 0, 0, 0]],
    ['CALLCODE', [0, 0, 0, 0, 0]],
    ['DELEGATECALL', [0, 0, 0, 0]],
    ['STATICCALL', [0, 0, 0, 0]],
  ] as const)(
    'when it delegates to itself, then %s pays for the cold account, and 100 more for the warm target',
    (op, operands) => {
      const authority = bytesToBigint(AUTHORITY)
      // No gas for the callee, whose code (0xef…) cannot run: what is left is the caller's own cost.
      const { gas, value } = run(returning([...operands, authority, 0], op), {
        others: [[AUTHORITY, { code: designator(AUTHORITY) }]],
      })
      const aside = run(returning([...operands, authority, 0], 'POP POP', ...operands.map(() => 'POP'), 0))
      expect(value).toBe(0n)
      expect(gas - aside.gas).toBe(2600n + 100n - 2n * BigInt(operands.length + 2) - 3n)
    },
  )

  test('when it delegates to a precompile, then nothing runs', () => {
    const { value } = run(returning([0, 0, 0, 0, 0, 0x7777], 'GAS CALL RETURNDATASIZE ADD'), {
      others: [[address(0x7777), { code: designator(address(2)) }]],
    })
    expect(value).toBe(1n)
  })

  test('when Prague is not active, then it is not a delegation', () => {
    const { value } = run(returning([0, 0, 0, 0, 0, 0x7777], 'GAS CALL'), {
      fork: 'cancun',
      others: [[address(0x7777), delegating]],
    })
    expect(value).toBe(0n)
  })

  test('when a transaction calls it, then that works', () => {
    const world = worldWith([
      [CONTRACT, delegating],
      [DELEGATE, { code: returning('CALLER') }],
    ])
    expect(run(EMPTY_BYTES, { world }).value).toBe(bytesToBigint(CALLER))
  })
})
