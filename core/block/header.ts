import type { Address, Hash } from '../bytes/bytes.ts'

/** A block header as plain data. Fields of later forks are undefined before their fork. */
export type Header = {
  readonly parentHash: Hash
  readonly ommersHash: Hash
  readonly coinbase: Address
  readonly stateRoot: Hash
  readonly transactionsRoot: Hash
  readonly receiptsRoot: Hash
  /** 256 bytes. */
  readonly logsBloom: Uint8Array
  readonly difficulty: bigint
  readonly number: bigint
  readonly gasLimit: bigint
  readonly gasUsed: bigint
  /** Seconds since 1970. */
  readonly timestamp: bigint
  readonly extraData: Uint8Array
  /** prevRandao from Paris on. */
  readonly mixHash: Hash
  /** 8 bytes. */
  readonly nonce: Uint8Array
  readonly baseFeePerGas: bigint | undefined
  readonly withdrawalsRoot: Hash | undefined
  readonly blobGasUsed: bigint | undefined
  readonly excessBlobGas: bigint | undefined
  readonly parentBeaconBlockRoot: Hash | undefined
  readonly requestsHash: Hash | undefined
}
