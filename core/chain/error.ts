export type ChainErrorCode =
  /** The store contains a chain of another genesis block. */
  | 'OTHER_CHAIN'
  /** The genesis file's forks or transitions contradict existing blocks. */
  | 'CONFIGURATION_CONTRADICTS_CHAIN'
  /** The genesis file requires something that this node does not support. */
  | 'UNSUPPORTED'
  /** Only QBFT chains produce blocks. */
  | 'MAKES_NO_BLOCKS'
  /** The block was not built or verified by this chain. */
  | 'NOT_BUILT_HERE'
  | 'NO_SUCH_BLOCK'
  /** Too many calls wait. */
  | 'BUSY'

/** An operation that the chain cannot perform, with the remedy; an invalid block is an InvalidBlock instead. */
export class ChainError extends Error {
  override readonly name = 'ChainError'
  readonly code: ChainErrorCode
  constructor(code: ChainErrorCode, message: string, options: { readonly cause?: unknown } = {}) {
    super(message, options)
    this.code = code
  }
}
