import { type Arguments, isAcceptedAnyway, unsupportedText } from './arguments.ts'
import { UsageError } from './errors.ts'
import { NODE_OPTIONS } from './nodeOptions.ts'
import { InvalidValue, type Option, type OptionTable, type OptionValues } from './option.ts'
import { readTomlFile } from './tomlFile.ts'
import { UNSUPPORTED_OPTIONS } from './unsupported.ts'

export type Environment = Readonly<Record<string, string | undefined>>

/** In the order of precedence. */
export const ENVIRONMENT_PREFIXES = ['QUORATE_', 'BESU_'] as const

/** The source of each value for messages: `--name`, `QUORATE_NAME`, `name in FILE`. */
export type Sources = ReadonlyMap<string, string>

export type Resolved<Table extends OptionTable> = {
  readonly values: OptionValues<Table>
  /** By option name; options with their default value are missing. */
  readonly sources: Sources
}

const variableName = (prefix: string, name: string): string =>
  `${prefix}${name.toUpperCase().replaceAll('-', '_')}`

const variableNames = (name: string): readonly string[] =>
  ENVIRONMENT_PREFIXES.map(prefix => variableName(prefix, name))

/** `QUORATE_RPC_HTTP_PORT` and `BESU_RPC_HTTP_PORT` for `rpc-http-port`; likewise for aliases. */
export const environmentNames = (option: Option): readonly string[] =>
  ENVIRONMENT_PREFIXES.flatMap(prefix =>
    [option.name, ...option.aliases].map(name => variableName(prefix, name)),
  )

const fromEnvironment = (
  option: Option,
  environment: Environment,
): [text: string, source: string] | undefined => {
  for (const name of environmentNames(option)) {
    const text = environment[name]
    if (text !== undefined && text !== '') return [text, name]
  }
  return undefined
}

const parseValue = (option: Option, text: string, source: string): unknown => {
  try {
    return option.parse(text)
  } catch (cause) {
    if (!(cause instanceof InvalidValue)) throw cause
    const where = source.startsWith('-') ? '' : ` (from ${source})`
    throw new UsageError(
      'INVALID_VALUE',
      `Invalid value for option '--${option.name}'${cause.message}${where}`,
    )
  }
}

/** Unsupported options of Besu are refused in every source, never silently dropped. */
const refuseUnsupported = (environment: Environment): void => {
  for (const name of UNSUPPORTED_OPTIONS.keys())
    for (const variable of variableNames(name)) {
      const text = environment[variable]
      if (text !== undefined && text !== '' && !isAcceptedAnyway(name, text))
        throw new UsageError('UNSUPPORTED', unsupportedText(name, variable) as string)
    }
}

const CONFIG_FILE = 'config-file'

const configFile = (
  table: OptionTable,
  given: Arguments['given'],
  environment: Environment,
): string | undefined => {
  const option = Object.values(table).find(({ name }) => name === CONFIG_FILE)
  if (option === undefined) return undefined
  const flag = given.get(CONFIG_FILE)
  const variable = fromEnvironment(option, environment)
  if (flag !== undefined && variable !== undefined)
    throw new UsageError(
      'INVALID_VALUE',
      `TOML file specified using ${variable[1]}=${variable[0]} and --config-file=${flag}, please specify only one`,
    )
  return flag ?? variable?.[0]
}

/**
 * Resolves every option of the table: command line, then QUORATE_* and BESU_* variables, then the TOML file, then its
 * default.
 * @throws UsageError
 */
export const resolveOptions = <Table extends OptionTable>(
  table: Table,
  given: Arguments['given'],
  environment: Environment,
): Resolved<Table> => {
  const path = configFile(table, given, environment)
  refuseUnsupported(environment)
  // The file of a node also serves the other commands, so it may contain every option of a node.
  const file =
    path === undefined ? new Map<string, string>() : readTomlFile(path, { ...NODE_OPTIONS, ...table })
  const values: Record<string, unknown> = {}
  const sources = new Map<string, string>()
  for (const [key, option] of Object.entries(table)) {
    const flag = given.get(option.name)
    const variable = flag === undefined ? fromEnvironment(option, environment) : undefined
    const text = flag ?? variable?.[0] ?? file.get(option.name)
    if (text === undefined) {
      values[key] = option.fallback
      continue
    }
    const source = flag === undefined ? (variable?.[1] ?? `${option.name} in ${path}`) : `--${option.name}`
    values[key] = parseValue(option, text, source)
    sources.set(option.name, source)
  }
  return { values: values as OptionValues<Table>, sources }
}

/** Environment variables with the prefix QUORATE_ that name no option. */
export const unknownVariables = (table: OptionTable, environment: Environment): readonly string[] => {
  // Unsupported options have been refused by now, unless their value is accepted.
  const known = new Set([
    ...Object.values(table).flatMap(environmentNames),
    ...[...UNSUPPORTED_OPTIONS.keys()].flatMap(variableNames),
  ])
  return Object.keys(environment).filter(name => name.startsWith('QUORATE_') && !known.has(name))
}
