import type { Steps } from '../../steps.ts'

/** A contract that the node implements. Implementations are pure; the input may have any length. */
export type Precompile = {
  /** Its name in EIP-7910, such as `ECREC`. */
  readonly name: string
  /** Gas charged before it runs; Infinity when no gas limit could be enough. */
  readonly gas: (input: Uint8Array) => number
  /** The output; undefined when the call fails and uses all its gas. */
  readonly run: (input: Uint8Array) => Uint8Array | undefined
  /** As `run`, in steps of a few milliseconds; for contracts whose time depends on the input. */
  readonly steps?: (input: Uint8Array) => Steps<Uint8Array | undefined>
}
