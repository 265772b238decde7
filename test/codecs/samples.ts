import { fromHex } from '../../core/bytes/hex.ts'
import { encodeBlock } from '../../core/block/codec/block.ts'
import { logsBloom } from '../../core/block/codec/bloom.ts'
import { encodeExtraData } from '../../core/block/codec/extraData.ts'
import { transactionOf } from '../../core/block/codec/transaction.ts'
import type { Block } from '../../core/block/block.ts'
import type { Header } from '../../core/block/header.ts'
import type { Receipt } from '../../core/block/receipt.ts'
import type { Transaction, TransactionType } from '../../core/block/transaction.ts'
import { BLOCK, BLOCK_OF_ROUND_ONE, prepareBy } from '../core/qbft/codec/messages.ts'
import { VALIDATORS } from '../core/chain/support/keys.ts'

export const HASH: Uint8Array = new Uint8Array(32).map((_, index) => index + 1)
export const ADDRESS: Uint8Array = new Uint8Array(20).fill(0x22)

/** A transaction of this type with every list that it can have. */
export const transactionOfType = (type: TransactionType, chainId: bigint | undefined = 1337n): Transaction =>
  transactionOf({
    type,
    chainId,
    nonce: 0n,
    maxPriorityFeePerGas: 7n,
    maxFeePerGas: type < 2 ? 7n : 300n,
    gasLimit: 100_000n,
    to: ADDRESS,
    value: 0n,
    data: fromHex('c0ffee'),
    accessList: type === 0 ? [] : [{ address: ADDRESS, storageKeys: [HASH, HASH] }],
    maxFeePerBlobGas: type === 3 ? 9n : 0n,
    blobVersionedHashes: type === 3 ? [HASH] : [],
    authorizationList:
      type === 4 ? [{ chainId: 0n, address: ADDRESS, nonce: 5n, yParity: 1n, r: 3n, s: 200n }] : [],
    yParity: 1,
    r: 5n,
    s: 2n ** 200n,
  })

export const TRANSACTIONS: readonly Transaction[] = [
  ...([0, 1, 2, 3, 4] as const).map(type => transactionOfType(type)),
  transactionOfType(0, undefined),
]

const PREPARES = VALIDATORS.slice(0, 3).map(key => prepareBy(key))
export const SEALS: readonly Uint8Array[] = PREPARES.map(({ signature }) => signature)

export const EXTRA_DATA: readonly Uint8Array[] = [undefined, 'add', 'drop'].flatMap(type =>
  ([undefined, 'ibft2'] as const).map(encoding =>
    encodeExtraData({
      ...(encoding === undefined ? {} : { encoding }),
      vanity: new Uint8Array(32),
      validators: [ADDRESS],
      vote: type === undefined ? undefined : { recipient: ADDRESS, type: type as 'add' | 'drop' },
      round: 1,
      seals: SEALS,
    }),
  ),
)

const OSAKA_FIELDS: Partial<Header> = {
  baseFeePerGas: 0n,
  withdrawalsRoot: HASH,
  blobGasUsed: 1n,
  excessBlobGas: 0n,
  parentBeaconBlockRoot: HASH,
  requestsHash: HASH,
}

export const BLOCKS: readonly Block[] = [
  BLOCK,
  {
    header: { ...BLOCK_OF_ROUND_ONE.header, ...OSAKA_FIELDS },
    transactions: TRANSACTIONS,
    ommers: [BLOCK.header],
    withdrawals: [{ index: 0n, validatorIndex: 1n, address: ADDRESS, amountGwei: 300n }],
  },
]
export const BLOCK_BYTES: readonly Uint8Array[] = BLOCKS.map(encodeBlock)

const LOGS = [
  { address: ADDRESS, topics: [HASH], data: fromHex('05') },
  { address: ADDRESS, topics: [], data: new Uint8Array(0) },
]

const receiptOf = (change: Partial<Receipt>): Receipt => ({
  type: 0,
  status: true,
  postStateRoot: undefined,
  cumulativeGasUsed: 21_000n,
  logsBloom: logsBloom(change.logs ?? []),
  logs: [],
  gasUsed: 21_000n,
  effectiveGasPrice: 0n,
  contractAddress: undefined,
  blobGasUsed: 0n,
  blobGasPrice: 0n,
  revertReason: undefined,
  ...change,
})

export const RECEIPTS: readonly Receipt[] = [
  receiptOf({ logs: LOGS }),
  receiptOf({ type: 2, status: false, revertReason: fromHex('08c379a0') }),
  receiptOf({ status: undefined, postStateRoot: HASH, contractAddress: ADDRESS }),
  receiptOf({ type: 3, blobGasUsed: 131_072n, blobGasPrice: 1n }),
  receiptOf({ logsBloom: new Uint8Array(256).fill(0x55) }),
]
