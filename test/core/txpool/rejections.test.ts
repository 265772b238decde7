import { describe, expect, test } from 'bun:test'
import { fromHex } from '../../../core/bytes/hex.ts'
import type { PoolOptions } from '../../../core/txpool/admission.ts'
import { POOL_LIMITS, POOL_TRANSACTION_BYTES_MAX } from '../../../core/txpool/limits.ts'
import type { PoolOrigin } from '../../../core/txpool/pool.ts'
import { createTransactionPool } from '../../../core/txpool/transactionPool.ts'
import type { Transaction } from '../../../core/block/transaction.ts'
import { from, type HeadFixture, headWith, keyOf, optionsWith, RECIPIENT, rejectionOf } from './fixtures.ts'

const UPPER_HALF_S = 0x7fffffff_ffffffff_ffffffff_ffffffff_5d576e73_57a4501d_dfe92f46_681b20a1n
const REMOTE: PoolOrigin = { local: false, addedAtMs: 0 }
const DELEGATION = fromHex(`0xef0100${'11'.repeat(20)}`)
const AUTHORIZATION = { chainId: 0n, address: RECIPIENT, nonce: 0n, yParity: 0n, r: 1n, s: 1n }

type Case = {
  readonly when: string
  readonly transaction?: Partial<Transaction>
  readonly head?: HeadFixture
  readonly options?: Partial<PoolOptions>
  readonly origin?: PoolOrigin
  readonly code: number
  readonly text: string
}

const CASES: readonly Case[] = [
  {
    when: 'the gas price is above the fee cap',
    transaction: { maxFeePerGas: 10n ** 18n + 1n },
    code: -32000,
    text: 'Transaction fee cap exceeded',
  },
  {
    when: 'a peer sends less than the minimum gas price',
    transaction: { maxFeePerGas: 999n, maxPriorityFeePerGas: 999n },
    head: { minGasPrice: 1000n },
    origin: REMOTE,
    code: -32009,
    text: 'Gas price below configured minimum gas price',
  },
  {
    when: 'RPC sends less than the minimum gas price: no peer would take it',
    transaction: { maxFeePerGas: 999n, maxPriorityFeePerGas: 999n },
    head: { minGasPrice: 1000n },
    code: -32009,
    text: 'Gas price below configured minimum gas price',
  },
  {
    when: 'it offers the minimum gas price and pays less at the next base fee',
    transaction: { maxFeePerGas: 2000n, maxPriorityFeePerGas: 899n },
    head: { minGasPrice: 1000n, baseFee: 100n },
    code: -32009,
    text: 'Gas price below configured minimum gas price',
  },
  {
    when: 'its priority fee is below the minimum',
    transaction: { maxPriorityFeePerGas: 9n },
    head: { minPriorityFee: 10n },
    code: -32009,
    text: 'Priority fee below configured minimum priority fee',
  },
  {
    when: 'its sender cannot pay for it',
    head: { balances: new Map([[keyOf(1), 21_000n * 10_000n]]) },
    code: -32004,
    text: 'Upfront cost exceeds account balance (insufficient funds for gas * price + value: transaction up-front cost 0xc845881 exceeds transaction sender account balance 0xc845880)',
  },
  {
    when: 'a peer sends what its sender cannot pay for',
    head: { balances: new Map([[keyOf(1), 0n]]) },
    origin: REMOTE,
    code: -32004,
    text: 'Upfront cost exceeds account balance (insufficient funds for gas * price + value: transaction up-front cost 0xc845881 exceeds transaction sender account balance 0x0)',
  },
  {
    when: 'the price is below what the base fee can ever be',
    transaction: { maxFeePerGas: 6n, maxPriorityFeePerGas: 0n },
    code: -32009,
    text: 'Gas price below configured minimum gas price',
  },
  {
    when: 'a blob transaction comes where blocks hold none',
    transaction: { type: 3, maxFeePerBlobGas: 1n, blobVersionedHashes: [new Uint8Array(32).fill(1)] },
    code: -32602,
    text: 'Invalid transaction type',
  },
  {
    when: 'a blob transaction has no blobs',
    transaction: { type: 3, maxFeePerBlobGas: 1n, blobVersionedHashes: [] },
    head: { acceptsBlobs: true },
    code: -32602,
    text: 'Invalid blob count (blob transactions must have at least one blob)',
  },
  {
    when: 'a blob transaction has more blobs than EIP-7594 allows',
    transaction: {
      type: 3,
      maxFeePerBlobGas: 1n,
      blobVersionedHashes: Array.from({ length: 7 }, () => new Uint8Array(32).fill(1)),
    },
    head: { acceptsBlobs: true },
    code: -32000,
    text: 'Total blob gas too high',
  },
  {
    when: 'a hash of a blob is of no known version',
    transaction: { type: 3, maxFeePerBlobGas: 1n, blobVersionedHashes: [new Uint8Array(32).fill(2)] },
    head: { acceptsBlobs: true },
    code: -32602,
    text: 'Invalid versioned hashes params',
  },
  {
    when: 'a fee market transaction comes before London',
    head: { fork: 'berlin', baseFee: undefined },
    code: -32602,
    text: 'Invalid transaction type',
  },
  {
    when: 'an access list comes before Berlin',
    transaction: { type: 1, maxPriorityFeePerGas: 10_000n },
    head: { fork: 'istanbul', baseFee: undefined },
    code: -32602,
    text: 'Invalid transaction type',
  },
  {
    when: 'a set-code transaction comes before Prague',
    transaction: { type: 4, authorizationList: [AUTHORIZATION], gasLimit: 100_000n },
    head: { fork: 'cancun' },
    code: -32602,
    text: 'Invalid transaction type',
  },
  {
    when: 'the chain id is another',
    transaction: { chainId: 1n },
    code: -32000,
    text: 'Wrong chainId',
  },
  {
    when: 'a chain id comes before EIP-155',
    transaction: { type: 0, maxPriorityFeePerGas: 10_000n },
    head: { fork: 'homestead', baseFee: undefined },
    code: -32000,
    text: 'ChainId not supported',
  },
  {
    when: 's is in the upper half',
    transaction: { s: UPPER_HALF_S },
    code: -32002,
    text: 'Invalid signature',
  },
  {
    when: 'the gas limit is above the cap of EIP-7825',
    transaction: { gasLimit: 16_777_217n },
    code: -32005,
    text: 'Transaction gas limit cap exceeded',
  },
  {
    when: 'the init code is longer than EIP-3860 lets it be',
    transaction: { to: undefined, data: new Uint8Array(49_153), gasLimit: 16_000_000n },
    code: -32602,
    text: 'Max initcode size exceeded',
  },
  {
    when: 'the priority fee is above the max fee',
    transaction: { maxPriorityFeePerGas: 10_001n },
    code: -32000,
    text: 'Max priority fee per gas exceeds max fee per gas',
  },
  {
    when: 'the gas limit is below the intrinsic gas',
    transaction: { gasLimit: 20_999n },
    code: -32003,
    text: 'Intrinsic gas exceeds gas limit',
  },
  {
    when: 'the gas limit is below the calldata floor of EIP-7623',
    transaction: { data: new Uint8Array(1000).fill(1), gasLimit: 21_000n + 16_000n },
    code: -32003,
    text: 'Intrinsic gas exceeds gas limit',
  },
  {
    when: 'the gas costs more than 2^256',
    transaction: { maxFeePerGas: 2n ** 255n },
    options: { feeCapWei: 0n },
    code: -32602,
    text: 'Upfront cost exceeds 256 bits',
  },
  {
    when: 'the nonce cannot be raised any more',
    transaction: { nonce: 2n ** 64n - 1n },
    code: -32602,
    text: 'Nonce has max value',
  },
  {
    when: 'a set-code transaction has no authorization',
    transaction: { type: 4, authorizationList: [] },
    code: -32602,
    text: 'Invalid authorization list',
  },
  {
    when: 'there is no chain id and the node asks for one',
    transaction: { type: 0, chainId: undefined, maxPriorityFeePerGas: 10_000n },
    options: { strictReplayProtection: true },
    code: -32000,
    text: 'ChainId is required',
  },
  {
    when: 'the gas limit is above the block gas limit',
    transaction: { gasLimit: 5_000_001n },
    head: { blockGasLimit: 5_000_000n },
    code: -32005,
    text: 'Transaction gas limit exceeds block gas limit',
  },
  {
    when: 'the nonce is used',
    transaction: { nonce: 4n },
    head: { nonces: new Map([[keyOf(1), 5n]]) },
    code: -32001,
    text: 'Nonce too low',
  },
  {
    when: 'the sender is a contract',
    head: { codes: new Map([[keyOf(1), Uint8Array.of(0)]]) },
    code: -32007,
    text: 'Sender account not authorized to send transactions',
  },
  {
    when: 'the nonce is 200 above that of the account',
    transaction: { nonce: 205n },
    head: { nonces: new Map([[keyOf(1), 5n]]) },
    code: -32000,
    text: 'Transaction nonce is too distant from current sender nonce',
  },
  {
    when: 'it is larger than the pool takes',
    transaction: { data: new Uint8Array(POOL_TRANSACTION_BYTES_MAX), gasLimit: 16_000_000n },
    code: -32000,
    text: 'Transaction is too large',
  },
]

describe('given a transaction for the pool', () => {
  test.each(CASES.map(one => [one.when, one] as const))(
    'when %s, then it is refused as in Besu',
    (_, one) => {
      const pool = createTransactionPool(optionsWith(one.options))
      const rejection = rejectionOf(() => {
        pool.add(from(1, one.transaction), headWith(one.head), one.origin)
      })
      expect({ code: rejection.rpcCode, text: rejection.message }).toEqual({ code: one.code, text: one.text })
      expect(rejection.details.length).toBeGreaterThan(10)
      expect(pool.size).toBe(0)
    },
  )

  test('when the pool has it already, then that is the first reason', () => {
    const pool = createTransactionPool(optionsWith())
    pool.add(from(1), headWith())
    const rejection = rejectionOf(() => {
      pool.add(from(1), headWith({ nonces: new Map([[keyOf(1), 9n]]) }))
    })
    expect([rejection.rpcCode, rejection.message]).toEqual([-32000, 'Known transaction'])
  })

  test('when several rules are broken, then price comes first, then form, gas, block, nonce', () => {
    const pool = createTransactionPool(optionsWith())
    const all: Partial<Transaction> = {
      maxFeePerGas: 10n ** 18n + 1n,
      maxPriorityFeePerGas: 10n ** 18n + 2n,
      chainId: 1n,
      gasLimit: 1n,
      nonce: 1n,
    }
    const repairs: Partial<Transaction>[] = [
      { maxFeePerGas: 10_000n },
      { chainId: 1337n },
      { maxPriorityFeePerGas: 1n },
      { gasLimit: 2_000_000n },
      { gasLimit: 1_000_000n },
    ]
    const head = headWith({ blockGasLimit: 1_000_000n, nonces: new Map([[keyOf(1), 2n]]) })
    const texts: string[] = []
    let fields = all
    for (const repair of [{}, ...repairs]) {
      fields = { ...fields, ...repair }
      texts.push(rejectionOf(() => pool.add(from(1, fields), head)).message)
    }
    expect(texts).toEqual([
      'Transaction fee cap exceeded',
      'Wrong chainId',
      'Max priority fee per gas exceeds max fee per gas',
      'Intrinsic gas exceeds gas limit',
      'Transaction gas limit exceeds block gas limit',
      'Nonce too low',
    ])
  })

  test('when --tx-pool-enable-balance-check is false, then a missing balance is no reason, and it waits', () => {
    const pool = createTransactionPool(optionsWith({ balanceCheck: false }))
    const head = headWith({ balances: new Map([[keyOf(1), 0n]]) })
    pool.add(from(1), head)
    expect(pool.size).toBe(1)
    expect(pool.candidates(head).next()).toBeUndefined()
  })

  test('when its sender delegates by EIP-7702, then that is no reason', () => {
    const pool = createTransactionPool(optionsWith())
    pool.add(from(1), headWith({ codes: new Map([[keyOf(1), DELEGATION]]) }))
    expect(pool.size).toBe(1)
  })

  test('when gas is free, then a price of zero is no reason', () => {
    const pool = createTransactionPool(optionsWith({ minGasPrice: 0n, priceBumpPercent: 0 }))
    pool.add(from(1, { maxFeePerGas: 0n, maxPriorityFeePerGas: 0n }), headWith({ baseFee: 0n }), REMOTE)
    expect(pool.size).toBe(1)
  })

  test('when price limits are off, then RPC may send any gas price', () => {
    const pool = createTransactionPool(optionsWith({ feeCapWei: 0n, limits: POOL_LIMITS }))
    const head = headWith({ balances: new Map([[keyOf(1), 10n ** 25n]]) })
    pool.add(from(1, { maxFeePerGas: 10n ** 20n }), head)
    expect(pool.size).toBe(1)
  })
})
