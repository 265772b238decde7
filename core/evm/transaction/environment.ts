import type { Address, Hash } from '../../bytes/bytes.ts'
import type { Rules } from '../../genesis/configuration.ts'
import type { Precompile } from '../precompiles/precompile.ts'

/** Blocks that BLOCKHASH can access (Yellow Paper H.2). */
export const BLOCK_HASHES_MAX = 256n

/** The fields of the block that opcodes can read. */
export type BlockEnvironment = {
  readonly rules: Rules
  readonly number: bigint
  /** Seconds since 1970. */
  readonly timestamp: bigint
  /** Receives the fees, and COINBASE pushes it: the configured beneficiary, or the proposer. */
  readonly beneficiary: Address
  readonly gasLimit: bigint
  readonly difficulty: bigint
  /** PREVRANDAO from Paris on: the header's mixHash. */
  readonly prevRandao: Hash
  /** Wei per gas; undefined before London. */
  readonly baseFeePerGas: bigint | undefined
  /** Wei per blob gas; undefined before Cancun. */
  readonly blobBaseFee: bigint | undefined
  /** Hash of one of the 256 blocks before `number`; undefined if there is no such block. */
  readonly blockHash: (number: bigint) => Hash | undefined
  /** Replaces the fork's precompiles, for simulations that move or replace some. The fork's own addresses stay warm. */
  readonly precompileAt?: ((address: Address) => Precompile | undefined) | undefined
}
