import { describe, expect, test } from 'bun:test'
import { privateKeyToAccount } from 'viem/accounts'
import type { Address } from '../../../../core/bytes/bytes.ts'
import { fromHex, toHex } from '../../../../core/bytes/hex.ts'
import type { Authorization } from '../../../../core/block/transaction.ts'
import { EMPTY_CODE_HASH } from '../../../../core/crypto/constants.ts'
import { keccak256 } from '../../../../core/crypto/crypto.ts'
import { createAddress } from '../../../../core/evm/frames/address.ts'
import { delegationTo } from '../../../../core/evm/frames/delegation.ts'
import {
  address,
  BENEFICIARY,
  CALLER,
  CHAIN_ID,
  code,
  CONTRACT,
  deploying,
  type Part,
  word,
} from '../../../core/evm/harness.ts'
import { debugTrace, hex } from './traceCode.ts'

type Account = {
  readonly balance?: string
  readonly code?: string
  readonly codeHash?: string
  readonly nonce?: number
  readonly storage?: Readonly<Record<string, string>>
}
type Accounts = Readonly<Record<string, Account>>
type Diff = { readonly pre: Accounts; readonly post: Accounts }
type Options = Parameters<typeof debugTrace>[2]

const OTHER = address(0x22)
const slot = (value: number): string => toHex(word(value))

const prestate = (parts: readonly Part[], options: Options = {}, config = {}): Accounts =>
  debugTrace({ tracer: 'prestateTracer', tracerConfig: config }, code(...parts), options) as Accounts
const diff = (parts: readonly Part[], options: Options = {}, config = {}): Diff =>
  debugTrace(
    { tracer: 'prestateTracer', tracerConfig: { diffMode: true, ...config } },
    code(...parts),
    options,
  ) as Diff

const SIGNER = privateKeyToAccount(`0x${'42'.repeat(32)}`)
const authority = fromHex(SIGNER.address)

/** An authorization of the signer's account, whose nonce is 2. */
const authorizing = async (to: Address): Promise<Authorization> => {
  const signed = await SIGNER.signAuthorization({
    chainId: Number(CHAIN_ID),
    address: hex(to) as `0x${string}`,
    nonce: 2,
  })
  return {
    chainId: CHAIN_ID,
    address: to,
    nonce: 2n,
    yParity: BigInt(signed.yParity as number),
    r: BigInt(signed.r),
    s: BigInt(signed.s),
  }
}

describe('given prestateTracer', () => {
  test('when a transaction runs, then it has both ends and the beneficiary before fees, without empty accounts', () => {
    const message = { gasLimit: 100_000n, value: 5n, maxFeePerGas: 10n, maxPriorityFeePerGas: 1n }
    const program = code('STOP')
    expect(prestate(['STOP'], { message, others: [[BENEFICIARY, { balance: 3n }]] })).toEqual({
      [hex(CALLER)]: { balance: `0x${(10n ** 20n).toString(16)}` },
      [hex(CONTRACT)]: { balance: '0x0', code: toHex(program), codeHash: toHex(keccak256(program)) },
      [hex(BENEFICIARY)]: { balance: '0x3' },
    })
    expect(Object.keys(prestate(['STOP'], { message })).sort()).toEqual([hex(CONTRACT), hex(CALLER)].sort())
    expect(prestate(['STOP'], { message }, { includeEmpty: true })[hex(BENEFICIARY)]).toEqual({
      balance: '0x0',
    })
  })

  test('when slots are read or written, then they have their first values', () => {
    const parts = [
      [1, 'SLOAD POP'],
      [9, 2, 'SSTORE'],
      [8, 2, 'SSTORE'],
    ] as const
    const options = { installed: { storage: { 1: 11n, 2: 22n, 3: 33n } } }
    expect(prestate(parts, options)[hex(CONTRACT)]?.storage).toEqual({
      [slot(1)]: slot(11),
      [slot(2)]: slot(22),
    })
    expect(prestate(parts, options, { disableStorage: true })[hex(CONTRACT)]?.storage).toBeUndefined()
    expect(prestate(parts, options, { disableCode: true })[hex(CONTRACT)]?.code).toBeUndefined()
  })

  test.each(['BALANCE', 'EXTCODESIZE', 'EXTCODEHASH'])(
    'when %s reads an account, then it is included',
    opcode => {
      const others = [[OTHER, { balance: 4n, nonce: 7n }]] as const
      expect(prestate([0x22, opcode], { others })[hex(OTHER)]).toEqual({ balance: '0x4', nonce: 7 })
    },
  )

  test('when accounts are called, inherit or lend code (EIP-7702), then they are included', () => {
    const others = [
      [OTHER, { code: delegationTo(address(0x77)) }],
      [address(0x77), { code: code(0x44, 'SELFDESTRUCT') }],
      [address(0x44), { balance: 1n }],
    ] as const
    const found = prestate([[0, 0, 0, 0, 0, 0x22, 50_000, 'CALL']], { others })
    for (const part of [OTHER, address(0x77), address(0x44)]) expect(found[hex(part)]).toBeDefined()
  })

  test('when an authorization is signed, then its authority is included as before', async () => {
    const authorization = await authorizing(OTHER)
    const options = {
      others: [[authority, { nonce: 2n }]],
      message: { authorizationList: [authorization] },
    } as const
    expect(prestate(['STOP'], options)[hex(authority)]).toEqual({ balance: '0x0', nonce: 2 })
    expect(diff(['STOP'], options).post[hex(authority)]).toEqual({
      code: toHex(delegationTo(OTHER)),
      codeHash: toHex(keccak256(delegationTo(OTHER))),
      nonce: 3,
    })
  })

  test.each([
    ['gives the target of a delegation that is set in the transaction, for a call inside it', CONTRACT, true],
    // go-ethereum looks before the authorizations take effect.
    ['does not give it for the account that the transaction itself calls, as go-ethereum', authority, false],
  ] as const)('when %s, then the accounts are geth’s', async (_, to, isGiven) => {
    const options = {
      others: [
        [authority, { nonce: 2n }],
        [OTHER, { code: code('STOP'), balance: 7n }],
      ],
      message: { to, authorizationList: [await authorizing(OTHER)] },
    } as const
    const found = prestate([[0, 0, 0, 0, 0, BigInt(SIGNER.address), 50_000, 'CALL']], options)
    expect(found[hex(authority)]).toEqual({ balance: '0x0', nonce: 2 })
    if (isGiven) expect(found[hex(OTHER)]).toMatchObject({ balance: '0x7', code: '0x00' })
    else expect(found).not.toHaveProperty(hex(OTHER))
  })

  test('when a delegation is cleared in the transaction, then the hash of empty code remains', async () => {
    const options = {
      others: [[authority, { nonce: 2n, code: delegationTo(OTHER) }]],
      message: { authorizationList: [await authorizing(address(0))] },
    } as const
    const { pre, post } = diff(['STOP'], options)
    expect(pre[hex(authority)]?.code).toBe(toHex(delegationTo(OTHER)))
    expect(post[hex(authority)]).toEqual({ nonce: 3, code: '0x', codeHash: toHex(EMPTY_CODE_HASH) })
  })

  test('when an instruction cannot run, then its accounts are not included', () => {
    const others = [[OTHER, { balance: 4n }]] as const
    const outOfGas = { others, message: { gasLimit: 21_100n } }
    expect(prestate([0x22, 'BALANCE'], outOfGas)[hex(OTHER)]).toBeUndefined()
    expect(
      prestate([1, 1, 'SSTORE'], { message: { gasLimit: 23_000n } })[hex(CONTRACT)]?.storage,
    ).toBeUndefined()
  })
})

describe('given prestateTracer with diffMode', () => {
  test('when accounts change, then only the changes are included, before and after', () => {
    const parts = [
      [1, 'SLOAD POP'],
      [9, 2, 'SSTORE'],
      [0, 3, 'SSTORE'],
      [5, 4, 'SSTORE'],
    ] as const
    const options = {
      installed: { storage: { 1: 11n, 2: 22n, 3: 33n } },
      others: [[OTHER, { balance: 1n }]],
      message: { value: 6n },
    } as const
    const found = diff([...parts, [0x22, 'BALANCE']], options)
    expect(found.post[hex(CONTRACT)]).toEqual({
      balance: '0x6',
      storage: { [slot(2)]: slot(9), [slot(4)]: slot(5) },
    })
    expect(found.pre[hex(CONTRACT)]).toMatchObject({
      balance: '0x0',
      storage: { [slot(2)]: slot(22), [slot(3)]: slot(33) },
    })
    expect(found.pre[hex(OTHER)]).toBeUndefined()
    expect(found.post[hex(CALLER)]).toMatchObject({ nonce: 1 })
  })

  test('when a contract is created, then it is in `post` alone', () => {
    const made = hex(createAddress(CALLER, 0n))
    const deployed = code('STOP')
    const message = { to: undefined, data: deploying(deployed) }
    const found = diff([], { message })
    expect(found.post[made]).toEqual({
      nonce: 1,
      code: toHex(deployed),
      codeHash: toHex(keccak256(deployed)),
    })
    expect(found.pre[made]).toBeUndefined()
  })

  test('when a contract is deleted, then it is in `pre` alone; one that stays is not (EIP-6780)', () => {
    const others = [[OTHER, { code: code(0x44, 'SELFDESTRUCT'), balance: 3n }]] as const
    const parts = [[0, 0, 0, 0, 0, 0x22, 50_000, 'CALL']] as const
    const before = diff(parts, { others, fork: 'shanghai' })
    expect(before.pre[hex(OTHER)]).toMatchObject({ balance: '0x3' })
    expect(before.post[hex(OTHER)]).toBeUndefined()
    expect(before.post[hex(address(0x44))]).toEqual({ balance: '0x3' })
    expect(diff(parts, { others }).post[hex(OTHER)]).toEqual({ balance: '0x0' })
  })
})
