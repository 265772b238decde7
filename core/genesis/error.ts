export type GenesisErrorCode =
  /** The file is not JSON. */
  | 'SYNTAX'
  /** A value has the wrong type, is out of range or is missing. */
  | 'INVALID_VALUE'
  /** Two values contradict each other. */
  | 'CONTRADICTION'
  /** Valid, but not supported by this node. */
  | 'UNSUPPORTED'

/** An unusable genesis file; the message is one line: place, problem and remedy. */
export class GenesisError extends Error {
  override readonly name = 'GenesisError'
  readonly code: GenesisErrorCode
  /** For example `config.qbft.epochlength`; empty for the file as a whole. */
  readonly path: string
  constructor(code: GenesisErrorCode, path: string, problem: string) {
    super(path === '' ? problem : `${path}: ${problem}`)
    this.code = code
    this.path = path
  }
}
