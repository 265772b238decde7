import type { Address, Hash } from '../../bytes/bytes.ts'
import type { Rules } from '../../genesis/configuration.ts'
import type { Precompile } from '../precompiles/precompile.ts'

/** What opcodes can see of the block. */
export type BlockEnvironment = {
  readonly rules: Rules
  readonly number: bigint
  /** Seconds since 1970. */
  readonly timestamp: bigint
  /** Who gets the fees and what COINBASE answers: the beneficiary where one is configured. */
  readonly beneficiary: Address
  readonly gasLimit: bigint
  readonly difficulty: bigint
  /** PREVRANDAO from Paris on: the header's mixHash. */
  readonly prevRandao: Hash
  /** Wei per gas; undefined before London. */
  readonly baseFeePerGas: bigint | undefined
  /** Wei per blob gas; undefined before Cancun. */
  readonly blobBaseFee: bigint | undefined
  /** Hash of one of the 256 blocks before `number`, undefined where there is none. */
  readonly blockHash: (number: bigint) => Hash | undefined
  /** Takes the place of the fork's own precompiles, for simulations that move or replace some; which are warm stays the fork's. */
  readonly precompileAt?: ((address: Address) => Precompile | undefined) | undefined
}
