import type { Address } from '../../bytes/bytes.ts'
import type { ChainConfiguration, QbftParameters, Rules } from '../../genesis/configuration.ts'
import type { ChainHead } from '../../store/store.ts'
import type { QbftExtraData } from '../../block/codec/extraData.ts'
import type { Header } from '../../block/header.ts'

/** The context in which rules check a header. */
export type HeaderContext = {
  readonly configuration: ChainConfiguration
  /** The rules at this block. */
  readonly rules: Rules
  readonly header: Header
  readonly parent: ChainHead
  readonly parentRules: Rules
  /** True when the parent block has ommers, which the difficulty of proof of work depends on. */
  readonly parentHasOmmers: boolean
  readonly genesisBaseFeePerGas: bigint | undefined
  /** Milliseconds since 1970. */
  readonly nowMs: number
}

export type QbftHeaderContext = HeaderContext & {
  readonly extraData: QbftExtraData
  /** The parameters at this block. */
  readonly parameters: QbftParameters
  /** The set that governs this block, ascending. */
  readonly validators: readonly Address[]
}

/** A rule of headers. @throws InvalidBlock */
export type HeaderRule<Context = HeaderContext> = (context: Context) => void
