import type { Address, Hash } from '../bytes/bytes.ts'
import type { TransactionType } from './transaction.ts'

export type Log = { readonly address: Address; readonly topics: readonly Hash[]; readonly data: Uint8Array }

/** Shared by all receipts without logs. */
export const NO_LOGS: readonly Log[] = []

/**
 * A receipt. The first fields, up to `logs`, are the consensus encoding; the others are derived during execution and stored, so
 * that reads never execute.
 */
export type Receipt = {
  readonly type: TransactionType
  /** True for success; undefined before Byzantium, whose receipts have `postStateRoot` instead. */
  readonly status: boolean | undefined
  readonly postStateRoot: Hash | undefined
  readonly cumulativeGasUsed: bigint
  /** 256 bytes. */
  readonly logsBloom: Uint8Array
  readonly logs: readonly Log[]

  readonly gasUsed: bigint
  /** Wei per gas paid. */
  readonly effectiveGasPrice: bigint
  readonly contractAddress: Address | undefined
  /** 0 unless the transaction carries blobs. */
  readonly blobGasUsed: bigint
  /** Wei per blob gas; 0 unless the transaction carries blobs. */
  readonly blobGasPrice: bigint
  /** Output of a reverted top-level call, undefined when it did not revert; not part of the consensus encoding. */
  readonly revertReason: Uint8Array | undefined
}
