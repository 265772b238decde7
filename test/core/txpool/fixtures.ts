import type { Address } from '../../../core/bytes/bytes.ts'
import { EMPTY_BYTES } from '../../../core/bytes/bytes.ts'
import { toBareHex } from '../../../core/bytes/hex.ts'
import { bigintToFixedBytes } from '../../../core/bytes/integer.ts'
import { transactionOf } from '../../../core/block/codec/transaction.ts'
import type { RecoveredTransaction, Transaction } from '../../../core/block/transaction.ts'
import type { ForkName } from '../../../core/genesis/fork.ts'
import { transactionGasMaxOf } from '../../../core/genesis/forkSchedule.ts'
import { POOL_OPTIONS, type PoolOptions } from '../../../core/txpool/admission.ts'
import type { PoolHead } from '../../../core/txpool/pool.ts'
import { TransactionRejected } from '../../../core/txpool/rejection.ts'
import { BARE_FIELDS } from '../../support/chains/bareFields.ts'

export const CHAIN_ID = 1337n

export const RECIPIENT: Address = bigintToFixedBytes(0xfeedn, 20)

/** A sender for each small number. */
export const senderOf = (number: number): Address => bigintToFixedBytes(BigInt(number) + 0xa000n, 20)

/** A transfer of zero; the signature is in range, and the pool is given the sender. */
export const transactionWith = (fields: Partial<Transaction>): Transaction =>
  transactionOf({
    type: 2,
    chainId: CHAIN_ID,
    nonce: 0n,
    maxPriorityFeePerGas: 1_000n,
    maxFeePerGas: 10_000n,
    gasLimit: 21_000n,
    to: RECIPIENT,
    value: 0n,
    data: EMPTY_BYTES,
    ...BARE_FIELDS,
    yParity: 0,
    r: 1n,
    s: 1n,
    ...fields,
  })

export const from = (sender: number, fields: Partial<Transaction> = {}): RecoveredTransaction => ({
  sender: senderOf(sender),
  transaction: transactionWith({ value: BigInt(sender), ...fields }),
})

export type HeadFixture = {
  readonly fork?: ForkName
  readonly blockGasLimit?: bigint
  readonly acceptsBlobs?: boolean
  readonly baseFee?: bigint | undefined
  readonly minGasPrice?: bigint
  readonly minPriorityFee?: bigint
  readonly nonces?: ReadonlyMap<string, bigint>
  readonly balances?: ReadonlyMap<string, bigint>
  readonly codes?: ReadonlyMap<string, Uint8Array>
}

export const keyOf = (sender: number): string => toBareHex(senderOf(sender))

/** A head on which every account is rich and new by default. */
export const headWith = (fixture: HeadFixture = {}): PoolHead => ({
  rules: {
    fork: fixture.fork ?? 'osaka',
    chainId: CHAIN_ID,
    blob: { targetBlobs: 6, maxBlobs: 9, baseFeeUpdateFraction: 5_007_716n },
    codeSizeMax: 24_576,
    stackItemsMax: 1024,
    transactionGasMax: transactionGasMaxOf(fixture.fork ?? 'osaka'),
  },
  blockGasLimit: fixture.blockGasLimit ?? 30_000_000n,
  acceptsBlobs: fixture.acceptsBlobs ?? false,
  minGasPrice: fixture.minGasPrice ?? 0n,
  minPriorityFee: fixture.minPriorityFee ?? 0n,
  nextBaseFeePerGas: 'baseFee' in fixture ? fixture.baseFee : 100n,
  account: sender => {
    const key = toBareHex(sender)
    return {
      nonce: fixture.nonces?.get(key) ?? 0n,
      balance: fixture.balances?.get(key) ?? 10n ** 24n,
      hasCode: (fixture.codes?.get(key)?.length ?? 0) > 0,
    }
  },
  code: sender => fixture.codes?.get(toBareHex(sender)) ?? EMPTY_BYTES,
})

/** By default one sender may fill the pool, because the pools of the tests are small. */
export const optionsWith = (options: Partial<PoolOptions> = {}): PoolOptions => ({
  ...POOL_OPTIONS,
  senderShare: 1,
  ...options,
})

/** The rejection that `act` throws. */
export const rejectionOf = (act: () => void): TransactionRejected => {
  try {
    act()
  } catch (error) {
    if (error instanceof TransactionRejected) return error
    throw error
  }
  throw new Error('the pool took it')
}

/** mulberry32: the same numbers from the same seed, in [0, 1). */
export const seededRandom = (seed: number): (() => number) => {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}
