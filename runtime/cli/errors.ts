/** Invalid command line, environment or configuration file: exit code 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
  readonly code: 'UNKNOWN_OPTION' | 'UNSUPPORTED' | 'INVALID_VALUE' | 'INVALID_FILE' | 'INVALID_COMMAND'
  constructor(code: UsageError['code'], message: string) {
    super(message)
    this.code = code
  }
}

/** A valid command failed: exit code 1. */
export class CommandError extends Error {
  override readonly name = 'CommandError'
  readonly code:
    | 'START_FAILED'
    | 'KEY_FILE'
    | 'STATIC_NODES'
    | 'GENESIS'
    | 'PORT_IN_USE'
    | 'DATA_PATH'
    | 'IMPORT'
    | 'EXPORT'
    | 'INPUT'
    | 'NO_ANSWER'
    | 'PERMISSIONS'
  constructor(code: CommandError['code'], message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }
}
