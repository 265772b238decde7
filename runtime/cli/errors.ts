import { escapeText } from '../../core/text/escapeText.ts'

/** Invalid command line, environment or configuration file: exit code 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
  readonly code: 'UNKNOWN_OPTION' | 'UNSUPPORTED' | 'INVALID_VALUE' | 'INVALID_FILE' | 'INVALID_COMMAND'
  constructor(code: UsageError['code'], message: string) {
    super(message)
    this.code = code
  }
}

export const invalidValue = (text: string): UsageError => new UsageError('INVALID_VALUE', text)

export const invalidFile = (text: string): UsageError => new UsageError('INVALID_FILE', text)

/**
 * The value of an option that a command needs.
 * @param option as a user writes it, such as `--to=<PATH>`; `meaning` follows it in the error
 * @throws UsageError where it is missing
 */
export const requireOption = <T>(value: T | undefined, option: string, meaning = ''): T => {
  if (value === undefined)
    throw new UsageError('INVALID_VALUE', `Missing required option: '${option}'${meaning}`)
  return value
}

/** One error that reports several at once, so that a command line or a file need not be fixed one mistake at a time. */
export const combineUsageErrors = (errors: readonly UsageError[]): UsageError => {
  const [first, ...others] = errors
  if (first === undefined || others.length === 0)
    return first ?? new UsageError('INVALID_COMMAND', 'Invalid command')
  return new UsageError(
    first.code,
    `${errors.length} settings are refused:\n${errors.map(({ message }) => `- ${escapeText(message)}`).join('\n')}`,
  )
}

/** Runs a check; its error joins the others. @returns its result; undefined if it failed */
export const collectErrors = <T>(errors: UsageError[], run: () => T): T | undefined => {
  try {
    return run()
  } catch (error) {
    if (!(error instanceof UsageError)) throw error
    errors.push(error)
    return undefined
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
    | 'COPY'
    | 'REHEARSAL'
    | 'IMPORT'
    | 'EXPORT'
    | 'INPUT'
    | 'NO_ANSWER'
    | 'NOT_ENABLED'
    | 'PERMISSIONS'
  constructor(code: CommandError['code'], message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }
}
