import type { Address, Hash } from '../bytes/bytes.ts'
import type { TransactionType } from './transaction.ts'

export type Log = { readonly address: Address; readonly topics: readonly Hash[]; readonly data: Uint8Array }

/** Most receipts have none: they share this one. */
export const NO_LOGS: readonly Log[] = []

/**
 * A receipt. The first five fields are the consensus encoding; the rest is derived at execution and kept beside it,
 * so that no read ever executes again.
 */
export type Receipt = {
  readonly type: TransactionType
  /** Success from Byzantium on; undefined before, where `postStateRoot` stands in its place. */
  readonly status: boolean | undefined
  readonly postStateRoot: Hash | undefined
  readonly cumulativeGasUsed: bigint
  /** 256 bytes. */
  readonly logsBloom: Uint8Array
  readonly logs: readonly Log[]

  readonly gasUsed: bigint
  /** Wei per gas that was paid. */
  readonly effectiveGasPrice: bigint
  readonly contractAddress: Address | undefined
  /** 0 unless the transaction carries blobs. */
  readonly blobGasUsed: bigint
  /** Wei per blob gas; 0 unless the transaction carries blobs. */
  readonly blobGasPrice: bigint
  /** Output of a reverted top-level call, undefined when it did not revert; not part of the consensus encoding. */
  readonly revertReason: Uint8Array | undefined
}
