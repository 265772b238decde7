import type { Address, Hash } from '../bytes/bytes.ts'

export type AccessListEntry = { readonly address: Address; readonly storageKeys: readonly Hash[] }

/** EIP-7702 authorization as signed; `yParity`, `r` and `s` are only validated during execution. */
export type Authorization = {
  readonly chainId: bigint
  readonly address: Address
  readonly nonce: bigint
  readonly yParity: bigint
  readonly r: bigint
  readonly s: bigint
}

/** EIP-4844. */
export const GAS_PER_BLOB = 131_072n

/** 0 legacy, 1 EIP-2930, 2 EIP-1559, 3 EIP-4844 (blob), 4 EIP-7702. */
export type TransactionType = 0 | 1 | 2 | 3 | 4

/**
 * A signed transaction of any type as plain data. Types without a fee market have their gas price in both `maxFeePerGas` and
 * `maxPriorityFeePerGas`, so that one formula computes the price of all.
 */
export type Transaction = {
  readonly type: TransactionType
  /** Undefined for a legacy transaction signed without EIP-155. */
  readonly chainId: bigint | undefined
  readonly nonce: bigint
  /** Wei per gas. */
  readonly maxPriorityFeePerGas: bigint
  /** Wei per gas. */
  readonly maxFeePerGas: bigint
  readonly gasLimit: bigint
  /** Undefined creates a contract. */
  readonly to: Address | undefined
  /** Wei. */
  readonly value: bigint
  readonly data: Uint8Array
  readonly accessList: readonly AccessListEntry[]
  /** Wei per blob gas; 0 unless type 3. */
  readonly maxFeePerBlobGas: bigint
  readonly blobVersionedHashes: readonly Hash[]
  readonly authorizationList: readonly Authorization[]
  readonly yParity: number
  readonly r: bigint
  readonly s: bigint
  /** Canonical EIP-2718 bytes (the RLP list itself for legacy transactions), as in a trie. */
  readonly encoded: Uint8Array
  /** keccak of `encoded`. */
  readonly hash: Hash
}

/** A transaction that was decoded before, by its hash. */
export type KnownTransaction = (hash: Hash) => Transaction | undefined

/** A transaction with its recovered sender. */
export type RecoveredTransaction = { readonly transaction: Transaction; readonly sender: Address }
