import type { Address, Hash } from '../bytes/bytes.ts'
import type { ChainConfiguration, GenesisAccount } from './configuration.ts'

/** The fields of block 0's header in the genesis file; the rest follows from the forks and the alloc. */
export type GenesisHeader = {
  readonly parentHash: Hash
  readonly coinbase: Address
  readonly difficulty: bigint
  readonly gasLimit: bigint
  /** Seconds since 1970. */
  readonly timestamp: bigint
  readonly extraData: Uint8Array
  readonly mixHash: Hash
  /** 8 bytes. */
  readonly nonce: Uint8Array
  /** Undefined if the file has none. */
  readonly baseFeePerGas: bigint | undefined
  /** Used from Cancun on, like the two fields below. */
  readonly blobGasUsed: bigint
  readonly excessBlobGas: bigint
  readonly parentBeaconBlockRoot: Hash
}

/** A parsed and validated genesis file. */
export type Genesis = {
  readonly configuration: ChainConfiguration
  readonly header: GenesisHeader
  /** Without duplicate addresses. */
  readonly alloc: readonly GenesisAccount[]
  /** Warnings for the operator: valid, but probably not intended. */
  readonly warnings: readonly string[]
}
