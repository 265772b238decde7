export type GenesisErrorCode =
  /** Not JSON at all. */
  | 'SYNTAX'
  /** A value of the wrong kind, out of range or missing. */
  | 'INVALID_VALUE'
  /** Two values that cannot both hold. */
  | 'CONTRADICTION'
  /** Correct, but nothing this node can run. */
  | 'UNSUPPORTED'

/** A genesis file that cannot be used; the message is one line: where, what is wrong, what to do. */
export class GenesisError extends Error {
  override readonly name = 'GenesisError'
  readonly code: GenesisErrorCode
  /** Such as `config.qbft.epochlength`; empty for the file as a whole. */
  readonly path: string
  constructor(code: GenesisErrorCode, path: string, problem: string) {
    super(path === '' ? problem : `${path}: ${problem}`)
    this.code = code
    this.path = path
  }
}
