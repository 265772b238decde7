import type { Address, Hash } from '../bytes/bytes.ts'
import type { ChainConfiguration, GenesisAccount } from './configuration.ts'

/** What the genesis file says of block 0's header; the rest follows from the forks and the alloc. */
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
  /** Undefined where the file does not give one. */
  readonly baseFeePerGas: bigint | undefined
  /** Used from Cancun on, as the two below. */
  readonly blobGasUsed: bigint
  readonly excessBlobGas: bigint
  readonly parentBeaconBlockRoot: Hash
}

/** A genesis file, read and checked. */
export type Genesis = {
  readonly configuration: ChainConfiguration
  readonly header: GenesisHeader
  /** Each address once. */
  readonly alloc: readonly GenesisAccount[]
  /** What an operator should be told: correct, but hardly what was meant. */
  readonly warnings: readonly string[]
}
