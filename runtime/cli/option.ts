export const GROUPS = [
  'Node',
  'Keys',
  'Development chain',
  'Network',
  'Consensus',
  'JSON-RPC',
  'JSON-RPC over HTTP',
  'JSON-RPC over WebSocket',
  'JSON-RPC over a socket file',
  'GraphQL',
  'TLS',
  'Login and tokens',
  'Gas and fees',
  'Blocks',
  'Transaction pool',
  'Metrics',
  'Permissions',
  'Logs',
  'Command',
] as const

/**
 * One option of the command line, and with the same name (dashes dropped) of the environment and of the TOML file.
 * `parse` takes the text of a value; for a list it is called with the values joined by commas.
 */
export type Option<T = unknown> = {
  /** Without the two dashes. */
  readonly name: string
  readonly aliases: readonly string[]
  readonly short: string | undefined
  /** Type in the TOML file: a boolean, a number (or its text), a string, an array. */
  readonly kind: 'boolean' | 'number' | 'text' | 'list'
  readonly placeholder: string
  readonly group: (typeof GROUPS)[number]
  readonly description: string
  /** The default value. */
  readonly fallback: T
  /** The default as `--help` shows it; empty for none. */
  readonly shownDefault: string
  /** @throws InvalidValue with a text that follows `Invalid value for option '--name'`. */
  readonly parse: (text: string) => T
}

export type OptionTable = Readonly<Record<string, Option>>

/** The values of a table: one property for each option. */
export type OptionValues<Table extends OptionTable> = {
  readonly [Key in keyof Table]: Table[Key] extends Option<infer T> ? T : never
}

/** The text after `Invalid value for option '--name'`, beginning with `: ` or `, `. */
export class InvalidValue extends Error {
  override readonly name = 'InvalidValue'
  readonly code = 'INVALID_VALUE'
}

type Row = {
  readonly name: string
  readonly group: Option['group']
  readonly description: string
  readonly aliases?: readonly string[]
  readonly short?: string
  readonly placeholder?: string
  readonly shownDefault?: string
}

const option = <T>(
  row: Row,
  kind: Option['kind'],
  placeholder: string,
  fallback: T,
  parse: (text: string) => T,
): Option<T> => ({
  name: row.name,
  aliases: row.aliases ?? [],
  short: row.short,
  kind,
  placeholder: row.placeholder ?? placeholder,
  group: row.group,
  description: row.description,
  fallback,
  shownDefault: row.shownDefault ?? (fallback === undefined ? '' : String(fallback)),
  parse,
})

const parseBoolean = (text: string): boolean => {
  const lower = text.toLowerCase()
  if (lower === 'true') return true
  if (lower === 'false') return false
  throw new InvalidValue(`: '${text}' is not a boolean, give true or false`)
}

export const booleanOption = <T extends boolean | undefined>(
  row: Row & { fallback: T },
): Option<boolean | T> => option<boolean | T>(row, 'boolean', '', row.fallback, parseBoolean)

export const textOption = <T extends string | undefined>(row: Row & { fallback: T }): Option<string | T> =>
  option<string | T>(row, 'text', '<TEXT>', row.fallback, text => {
    if (text === '') throw new InvalidValue(': it must not be empty')
    return text
  })

/** A file or folder; relative paths start in the working directory. */
export const pathOption = <T extends string | undefined>(row: Row & { fallback: T }): Option<string | T> =>
  textOption({ placeholder: '<PATH>', ...row })

/** `minReason`, `maxReason`: why a value beyond `min` or `max` is refused. */
export const integerOption = <T extends number | undefined>(
  row: Row & { fallback: T; min: number; max: number; minReason?: string; maxReason?: string },
): Option<number | T> =>
  option<number | T>(row, 'number', '<INTEGER>', row.fallback, text => {
    if (!/^[+-]?\d+$/.test(text))
      throw new InvalidValue(`: '${text}' is not a whole number from ${row.min} to ${row.max}`)
    const value = Number(text)
    if (value < row.min || value > row.max) {
      const reason = value > row.max ? row.maxReason : row.minReason
      throw new InvalidValue(
        `: ${text} must be between ${row.min} and ${row.max}${reason === undefined ? '' : `: ${reason}`}`,
      )
    }
    return value
  })

export const decimalOption = (row: Row & { fallback: number; min: number; max: number }): Option<number> =>
  option(row, 'number', '<NUMBER>', row.fallback, text => {
    const value = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(text) ? Number(text) : Number.NaN
    if (Number.isNaN(value))
      throw new InvalidValue(`: '${text}' is not a number from ${row.min} to ${row.max}`)
    if (value < row.min || value > row.max)
      throw new InvalidValue(`: ${text} must be between ${row.min} and ${row.max}`)
    return value
  })

/** Unsigned and of any size: decimal, or hex after `0x`. */
export const bigintOption = <T extends bigint | undefined>(row: Row & { fallback: T }): Option<bigint | T> =>
  option<bigint | T>(row, 'number', '<INTEGER>', row.fallback, text => {
    if (!/^(\d+|0x[0-9a-f]+)$/i.test(text))
      throw new InvalidValue(`: '${text}' is not a whole number of 0 or more`)
    return BigInt(text)
  })

/** One of several words, case-insensitive. */
export const choiceOption = <const T extends string>(
  row: Row & { fallback: T; choices: readonly T[] },
): Option<T> =>
  option<T>(row, 'text', `<${row.choices.join('|')}>`, row.fallback, text => {
    const found = row.choices.find(choice => choice.toLowerCase() === text.toLowerCase())
    if (found === undefined)
      throw new InvalidValue(
        `: expected one of [${row.choices.join(', ')}] (case-insensitive) but was '${text}'`,
      )
    return found
  })

/** Comma separated and repeatable; an array in TOML. */
export const listOption = <T extends readonly string[] | undefined>(
  row: Row & { fallback: T; check: (entries: readonly string[]) => readonly string[] },
): Option<readonly string[] | T> =>
  option<readonly string[] | T>(row, 'list', '<LIST>', row.fallback, text =>
    row.check(text.split(',').map(entry => entry.trim())),
  )

/** A value with its own syntax; `parse` throws InvalidValue. */
export const customOption = <T>(row: Row & { fallback: T; parse: (text: string) => T }): Option<T> =>
  option(row, 'text', '<TEXT>', row.fallback, row.parse)
