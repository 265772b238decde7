export type ChainErrorCode =
  /** The store holds another chain than the genesis file founds. */
  | 'OTHER_CHAIN'
  /** The genesis file's forks or transitions contradict blocks that are already there. */
  | 'CONFIGURATION_CONTRADICTS_CHAIN'
  /** The genesis file asks for something this node cannot do. */
  | 'UNSUPPORTED'
  /** Only QBFT chains make blocks. */
  | 'MAKES_NO_BLOCKS'
  /** A block that this chain did not build. */
  | 'NOT_BUILT_HERE'
  | 'NO_SUCH_BLOCK'
  /** Too many calls wait for their turn. */
  | 'BUSY'

/** What the chain cannot do, and what to do about it; a block that is itself wrong is an InvalidBlock. */
export class ChainError extends Error {
  override readonly name = 'ChainError'
  readonly code: ChainErrorCode
  constructor(code: ChainErrorCode, message: string, options: { readonly cause?: unknown } = {}) {
    super(message, options)
    this.code = code
  }
}
