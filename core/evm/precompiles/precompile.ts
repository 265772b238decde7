import type { Steps } from '../../steps.ts'

/** A contract that is code of the node. Implementations are pure; input is any length. */
export type Precompile = {
  /** The name EIP-7910 gives it, such as `ECREC`. */
  readonly name: string
  /** Gas charged before running, Infinity where no gas could be enough. */
  readonly gas: (input: Uint8Array) => number
  /** The output, or undefined when the call fails and takes all its gas. */
  readonly run: (input: Uint8Array) => Uint8Array | undefined
  /** The same with other work between the steps, a few milliseconds each; for those whose time the input decides. */
  readonly steps?: (input: Uint8Array) => Steps<Uint8Array | undefined>
}
