import { describe, expect, test } from 'bun:test'
import { EMPTY_BYTES } from '../../../core/bytes/bytes.ts'
import { signTransaction } from '../../../core/block/codec/signature.ts'
import type { UnsignedTransaction } from '../../../core/block/codec/transactionItem.ts'
import { addressOfPrivateKey } from '../../../core/crypto/crypto.ts'
import type { BlockEnvironment } from '../../../core/evm/transaction/environment.ts'
import { executeTransaction } from '../../../core/evm/transaction/execute.ts'
import { floorGas, intrinsicGas } from '../../../core/evm/gas/intrinsic.ts'
import { InvalidTransaction } from '../../../core/evm/transaction/result.ts'
import { checkTransaction } from '../../../core/evm/transaction/validity.ts'
import type { ForkName } from '../../../core/genesis/fork.ts'
import type { WorldState } from '../../../core/state/world.ts'
import {
  address,
  BENEFICIARY,
  CHAIN_ID,
  code,
  environmentOf,
  type Installed,
  word,
  worldWith,
} from './harness.ts'
import { BARE_FIELDS } from '../../support/chains/bareFields.ts'

const KEY = word(0x1234567890n)
const SENDER = addressOfPrivateKey(KEY)
const TO = address(0x70)
const ETHER = 10n ** 18n

const fields = (changes: Partial<UnsignedTransaction> = {}): UnsignedTransaction => ({
  type: 2,
  chainId: CHAIN_ID,
  nonce: 0n,
  maxPriorityFeePerGas: 2n,
  maxFeePerGas: 20n,
  gasLimit: 100_000n,
  to: TO,
  value: 0n,
  data: EMPTY_BYTES,
  ...BARE_FIELDS,
  ...changes,
})

type Options = {
  readonly fork?: ForkName
  readonly sender?: Installed
  readonly others?: readonly (readonly [Uint8Array, Installed])[]
  readonly environment?: Partial<BlockEnvironment>
  readonly gasAvailable?: bigint
  readonly world?: WorldState
}

const execute = (changes: Partial<UnsignedTransaction> = {}, options: Options = {}) => {
  const { fork = 'osaka', sender = { balance: ETHER }, others = [] } = options
  const world = options.world ?? worldWith([[SENDER, sender], ...others])
  const environment = environmentOf(fork, options.environment)
  const transaction = signTransaction(fields(changes), KEY)
  const result = executeTransaction(
    environment,
    world,
    { transaction, sender: SENDER },
    options.gasAvailable ?? environment.gasLimit,
  )
  return { world, result }
}

const legacy = { type: 0, chainId: undefined, maxFeePerGas: 10n, maxPriorityFeePerGas: 10n } as const
const blob = { type: 3, maxFeePerBlobGas: 5n, blobVersionedHashes: [word(1n << 248n)] } as const
const authorization = { chainId: 0n, address: TO, nonce: 0n, yParity: 0n, r: 1n, s: 1n }

describe('given an invalid transaction', () => {
  const refusals: readonly (readonly [string, Partial<UnsignedTransaction>, Options?])[] = [
    ['WRONG_CHAIN_ID', { chainId: 1n }],
    ['TYPE_NOT_SUPPORTED', {}, { fork: 'berlin' }],
    ['TYPE_NOT_SUPPORTED', { type: 1 }, { fork: 'istanbul' }],
    ['TYPE_NOT_SUPPORTED', blob, { fork: 'shanghai' }],
    ['TYPE_NOT_SUPPORTED', { type: 4, authorizationList: [authorization] }, { fork: 'cancun' }],
    ['TYPE_NOT_SUPPORTED', { ...legacy, chainId: CHAIN_ID }, { fork: 'homestead' }],
    ['NONCE_TOO_LOW', { nonce: 1n }, { sender: { balance: ETHER, nonce: 2n } }],
    ['NONCE_TOO_HIGH', { nonce: 3n }, { sender: { balance: ETHER, nonce: 2n } }],
    ['NONCE_OVERFLOW', { nonce: 2n ** 64n - 1n }, { sender: { balance: ETHER, nonce: 2n ** 64n - 1n } }],
    ['INTRINSIC_GAS', { gasLimit: 20_999n }],
    ['INTRINSIC_GAS', { to: undefined, gasLimit: 52_999n }],
    ['INTRINSIC_GAS', { data: new Uint8Array(100).fill(1), gasLimit: 21_000n + 100n * 40n - 1n }],
    ['GAS_ABOVE_BLOCK_LIMIT', { gasLimit: 100_001n }, { gasAvailable: 100_000n }],
    ['GAS_ABOVE_TRANSACTION_CAP', { gasLimit: 2n ** 24n + 1n }],
    ['INSUFFICIENT_FUNDS', { value: ETHER }],
    ['INSUFFICIENT_FUNDS', {}, { sender: { balance: 1_999_999n } }],
    ['INSUFFICIENT_FUNDS', blob, { sender: { balance: 2_000_000n + 5n * 131_072n - 1n } }],
    ['FEE_BELOW_BASE_FEE', { maxFeePerGas: 6n }],
    ['PRIORITY_FEE_ABOVE_MAX_FEE', { maxPriorityFeePerGas: 21n }],
    ['UPFRONT_COST_OVERFLOW', { maxFeePerGas: 2n ** 255n }],
    ['SENDER_NOT_EOA', {}, { sender: { balance: ETHER, code: code('STOP') } }],
    ['INITCODE_TOO_LARGE', { to: undefined, data: new Uint8Array(49_153), gasLimit: 1_000_000n }],
    ['NO_BLOBS', { ...blob, blobVersionedHashes: [] }],
    ['TOO_MANY_BLOBS', { ...blob, blobVersionedHashes: Array(7).fill(word(1n << 248n)) }],
    [
      'TOO_MANY_BLOBS',
      { ...blob, blobVersionedHashes: Array(10).fill(word(1n << 248n)) },
      { fork: 'prague' },
    ],
    ['BLOB_VERSION', { ...blob, blobVersionedHashes: [word(2n << 248n)] }],
    ['BLOB_FEE_BELOW_BASE_FEE', { ...blob, maxFeePerBlobGas: 2n }],
    ['BLOB_CREATES_CONTRACT', { ...blob, to: undefined }],
    ['EMPTY_AUTHORIZATION_LIST', { type: 4 }],
    ['SET_CODE_CREATES_CONTRACT', { type: 4, to: undefined, authorizationList: [authorization] }],
  ]
  test.each(refusals)(
    'when it is %s (case %#), then it is refused and changes nothing',
    (expected, changes, options = {}) => {
      const world = worldWith([[SENDER, options.sender ?? { balance: ETHER }]])
      const before = world.changes(1n)
      let refused: unknown
      try {
        execute(changes, { ...options, world })
      } catch (error) {
        refused = error
      }
      expect(refused).toBeInstanceOf(InvalidTransaction)
      expect((refused as InvalidTransaction).code as string).toBe(expected)
      expect(world.changes(1n)).toEqual(before)
    },
  )

  test('when s is in the upper half from Homestead on (EIP-2), then it is INVALID_SIGNATURE', () => {
    const { rules } = environmentOf('osaka')
    const order = 0xffffffff_ffffffff_ffffffff_fffffffe_baaedce6_af48a03b_bfd25e8c_d0364141n
    const signed = signTransaction(fields(legacy), KEY)
    const limits = { gasLimit: undefined, baseFeePerGas: undefined, blobBaseFee: undefined }
    const flipped = { ...signed, s: order - signed.s, yParity: 1 - signed.yParity }
    checkTransaction(rules, limits, signed)
    expect(() => checkTransaction(rules, limits, flipped)).toThrow(InvalidTransaction)
    checkTransaction({ ...rules, fork: 'frontier' }, limits, flipped)
    expect(() => checkTransaction(rules, limits, { ...signed, r: 0n })).toThrow(InvalidTransaction)
  })

  test('when the sender’s code is a delegation, then it is valid (EIP-7702)', () => {
    const delegation = Uint8Array.of(0xef, 0x01, 0x00, ...TO)
    expect(execute({}, { sender: { balance: ETHER, code: delegation } }).result.success).toBe(true)
  })
})

describe('given fees', () => {
  test('when a transaction ends, then the sender pays the price, the base fee is burnt, the beneficiary has the rest', () => {
    const { result, world } = execute({ value: 5n })
    expect(result).toMatchObject({ gasUsed: 21_000n, effectiveGasPrice: 9n, success: true })
    expect(world.balance(SENDER)).toBe(ETHER - 5n - 21_000n * 9n)
    expect(world.balance(BENEFICIARY)).toBe(21_000n * 2n)
    expect([world.balance(TO), world.nonce(SENDER)]).toEqual([5n, 1n])
  })

  test('when the maximum leaves less, then the priority fee is reduced', () => {
    expect(execute({ maxFeePerGas: 8n }).result.effectiveGasPrice).toBe(8n)
    expect(execute({ maxFeePerGas: 8n }).world.balance(BENEFICIARY)).toBe(21_000n)
  })

  test('when it is before London, then the beneficiary has it all', () => {
    const { result, world } = execute(legacy, { fork: 'istanbul' })
    expect(result.effectiveGasPrice).toBe(10n)
    expect(world.balance(BENEFICIARY)).toBe(210_000n)
  })

  test('when there are blobs, then their base fee is burnt, even of a failed transaction', () => {
    const { result, world } = execute(blob, { others: [[TO, { code: code('INVALID') }]] })
    expect(result.success).toBe(false)
    expect(world.balance(SENDER)).toBe(ETHER - 100_000n * 9n - 131_072n * 3n)
    expect(world.balance(BENEFICIARY)).toBe(200_000n)
  })

  test('when the fee is zero, then no beneficiary is created since EIP-161, and an empty one before', () => {
    const free = { ...legacy, maxFeePerGas: 0n, maxPriorityFeePerGas: 0n }
    expect(execute(free, { fork: 'istanbul' }).world.exists(BENEFICIARY)).toBe(false)
    expect(execute(free, { fork: 'homestead' }).world.exists(BENEFICIARY)).toBe(true)
  })

  test('when a sender spends its last wei, then it stays for its nonce', () => {
    const { world } = execute({ ...legacy, value: 5n }, { sender: { balance: 1_000_005n } })
    expect(world.balance(SENDER)).toBe(790_000n)
    expect(world.exists(SENDER)).toBe(true)
  })
})

describe('given intrinsic gas', () => {
  const data = Uint8Array.of(0, 0, 1, 2)
  const plain = { to: TO, data, accessList: [], authorizationList: [] }
  const creation = { ...plain, to: undefined }

  test.each([
    ['frontier', 21_000n + 8n + 136n, 21_000n + 8n + 136n],
    ['homestead', 21_000n + 8n + 136n, 53_000n + 8n + 136n],
    ['istanbul', 21_000n + 8n + 32n, 53_000n + 8n + 32n],
    ['shanghai', 21_000n + 8n + 32n, 53_000n + 8n + 32n + 2n],
  ] as const)('when it is %s, then it is %p for a call and %p for a creation', (fork, call, create) => {
    expect(intrinsicGas(fork, plain)).toBe(call)
    expect(intrinsicGas(fork, creation)).toBe(create)
  })

  test('when there are access lists and authorizations, then they count', () => {
    const accessList = [{ address: TO, storageKeys: [word(1), word(2)] }]
    expect(
      intrinsicGas('prague', { ...plain, data: EMPTY_BYTES, accessList, authorizationList: [authorization] }),
    ).toBe(21_000n + 2400n + 3800n + 25_000n)
  })

  test('when the transaction does little, then the floor of EIP-7623 counts', () => {
    expect(floorGas('cancun', data)).toBe(0n)
    expect(floorGas('prague', data)).toBe(21_000n + 10n * (2n + 8n))
    const bytes = new Uint8Array(1000).fill(1)
    expect(execute({ data: bytes, gasLimit: 200_000n }, { fork: 'cancun' }).result.gasUsed).toBe(37_000n)
    expect(execute({ data: bytes, gasLimit: 200_000n }, { fork: 'prague' }).result.gasUsed).toBe(61_000n)
    const busy = execute(
      { data: bytes, gasLimit: 200_000n },
      { fork: 'prague', others: [[TO, { code: code(1, 1, 'SSTORE', 1, 2, 'SSTORE') }]] },
    )
    expect(busy.result.gasUsed).toBe(37_000n + 2n * 22_100n + 12n)
  })

  test('when an access list names entries, then they are warm', () => {
    const look = code(1, 'SLOAD', 0x9999, 'BALANCE')
    const accessList = [
      { address: TO, storageKeys: [word(1)] },
      { address: address(0x9999), storageKeys: [] },
    ]
    const { result } = execute({ accessList }, { others: [[TO, { code: look }]] })
    expect(result.gasUsed).toBe(21_000n + 2n * 2400n + 1900n + 6n + 200n)
  })
})

test('given EIP-7825, when Osaka is active, then the cap is 2^24, and absent before', () => {
  expect(execute({ gasLimit: 2n ** 24n }).result.success).toBe(true)
  expect(execute({ gasLimit: 2n ** 24n + 1n }, { fork: 'prague' }).result.success).toBe(true)
})

test('given two transactions, when they run in the same world, then the second follows the first', () => {
  const { world } = execute({ value: 1n })
  for (let nonce = 1n; nonce < 5n; nonce++) execute({ nonce, value: 1n }, { world })
  expect([world.nonce(SENDER), world.balance(TO)]).toEqual([5n, 5n])
})

test('given a snapshot, when the world returns to it, then a whole transaction is undone', () => {
  const world = worldWith([
    [SENDER, { balance: ETHER }],
    [TO, { code: code(1, 1, 'SSTORE', 0x4e14, 'SELFDESTRUCT'), balance: 3n }],
  ])
  const before = world.changes(1n)
  const snapshot = world.snapshot()
  execute({}, { world, fork: 'shanghai' })
  expect(world.exists(TO)).toBe(false)
  world.revert(snapshot)
  expect(world.changes(1n)).toEqual(before)
  expect(execute({}, { world, fork: 'shanghai' }).result.success).toBe(true)
})
