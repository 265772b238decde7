import { isTable, parseToml, TomlProblem } from '../../../handlers/toml/parseToml.ts'
import { readFailureReason, readTextUpTo } from '../readUpTo.ts'
import { optionNames } from './arguments.ts'
import { type AcceptedOption, decideBesuOption, refusalText } from '../besu/besuOptions.ts'
import { collectErrors, UsageError, invalidFile } from '../errors.ts'
import type { Option, OptionTable } from '../option.ts'
import { nearest } from '../../../core/collections/nearest.ts'

/** Maximum file length: a configuration file has a few kilobytes. */
const FILE_BYTES_MAX = 1024 * 1024

/** Unknown keys that one message names; the rest is counted. */
const UNKNOWN_LISTED_MAX = 20
const KEY_LENGTH_MAX = 100

const readText = (path: string): string => {
  try {
    return readTextUpTo(path, FILE_BYTES_MAX)
  } catch (cause) {
    const code = (cause as { code?: string }).code
    if (code === 'ENOENT') throw invalidFile(`Unable to read TOML configuration, file not found. (${path})`)
    throw invalidFile(`Unable to read TOML configuration ${path}: ${readFailureReason(cause)}`)
  }
}

/** Keys of the file; the name of a section is dropped, as Besu does. */
const flatten = (document: Record<string, unknown>): [string, unknown][] =>
  Object.entries(document).flatMap(([key, value]): [string, unknown][] =>
    isTable(value) ? Object.entries(value) : [[key, value]],
  )

/** A table, or a list that has one. */
const isNested = (value: unknown): boolean =>
  isTable(value) || (Array.isArray(value) && value.some(item => isTable(item) || Array.isArray(item)))

const isNumber = (value: unknown): boolean => typeof value === 'number' || typeof value === 'bigint'

const isText = (value: unknown): value is string => typeof value === 'string'

/** For each kind of option, the accepted TOML values and their name. */
const KINDS: Readonly<Record<Option['kind'], readonly [accepts: (value: unknown) => boolean, name: string]>> =
  {
    boolean: [value => typeof value === 'boolean', 'a boolean, true or false without quotes'],
    number: [value => isNumber(value) || isText(value), 'a number'],
    list: [value => Array.isArray(value) && value.every(isText), 'an array of strings'],
    text: [isText, 'a string in quotes'],
  }

const textOf = (option: Option, key: string, value: unknown): string => {
  const [accepts, name] = KINDS[option.kind]
  if (!accepts(value))
    throw invalidFile(`Invalid value for '${key}' in TOML configuration file: expected ${name}`)
  return Array.isArray(value) ? value.join(',') : String(value)
}

/**
 * The keys and values of a TOML configuration file. @throws UsageError with Besu's texts for a missing, empty or malformed
 * file
 */
export const readTomlEntries = (path: string): readonly [key: string, value: unknown][] => {
  const text = readText(path)
  let document: Record<string, unknown>
  try {
    // Amounts of wei exceed the range of a number.
    document = parseToml(text, { integersAsBigInt: 'asNeeded' })
  } catch (cause) {
    if (!(cause instanceof TomlProblem)) throw cause
    throw invalidFile(`Invalid TOML configuration: ${cause.message} (${path})`)
  }
  const entries = flatten(document)
  const nested = entries.find(([, value]) => isNested(value))
  if (nested !== undefined)
    throw invalidFile(
      `Invalid TOML configuration: '${nested[0].slice(0, KEY_LENGTH_MAX)}' is a table within a table, and no option is one (${path})`,
    )
  if (entries.length === 0) throw invalidFile(`Unable to read from empty TOML configuration file. (${path})`)
  return entries
}

/** All errors of a command line, its environment and its file, reported together. */
export type Report = { readonly problems: UsageError[]; readonly accepted: AcceptedOption[] }

const unknownKeys = (unknown: readonly string[], names: Iterable<string>): UsageError => {
  const near = nearest(unknown[0] as string, names)
  const hint = near === undefined ? '' : `. Did you mean ${near}?`
  const shown = unknown.slice(0, UNKNOWN_LISTED_MAX).map(name => name.slice(0, KEY_LENGTH_MAX))
  const rest = unknown.length - shown.length
  return invalidFile(
    `Unknown option${unknown.length > 1 ? 's' : ''} in TOML configuration file: ${shown.join(', ')}${rest > 0 ? ` and ${rest} more` : ''}${hint}`,
  )
}

/**
 * The values of a TOML configuration file as text, by option name. Mistakes join those of the report.
 * @throws UsageError with Besu's texts for a missing, empty or malformed file
 */
export const readTomlFile = (
  path: string,
  table: OptionTable,
  { problems, accepted }: Report,
): ReadonlyMap<string, string> => {
  const names = optionNames(table)
  const values = new Map<string, string>()
  const unknown: string[] = []
  for (const [key, value] of readTomlEntries(path)) {
    const option = names.get(key)
    if (option === undefined) {
      const text = String(value)
      const decision = decideBesuOption(key, text)
      if (decision === undefined) unknown.push(key)
      else if (decision.kind === 'accepted')
        accepted.push({ shown: key, value: text, meaning: decision.meaning })
      else problems.push(new UsageError('UNSUPPORTED', refusalText(key, key, decision.reason)))
    } else if (values.has(option.name))
      problems.push(invalidFile(`Option '${option.name}' should be specified only once (${path})`))
    else {
      const text = collectErrors(problems, () => textOf(option, key, value))
      if (text !== undefined) values.set(option.name, text)
    }
  }
  if (unknown.length > 0) problems.push(unknownKeys(unknown, names.keys()))
  return values
}
