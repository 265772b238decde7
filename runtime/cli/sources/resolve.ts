import { nearest } from '../../../core/collections/nearest.ts'
import type { Arguments } from './arguments.ts'
import { type AcceptedOption, BESU_OPTIONS, decideBesuOption, refusalText } from '../besu/besuOptions.ts'
import { collectErrors, UsageError } from '../errors.ts'
import { NODE_OPTIONS } from '../nodeOptions.ts'
import { InvalidValue, type Option, type OptionTable, type OptionValues } from '../option.ts'
import { profileValues } from './profiles.ts'
import { type Report, readTomlFile } from './tomlFile.ts'

export type Environment = Readonly<Record<string, string | undefined>>

/** In the order of precedence. */
export const ENVIRONMENT_PREFIXES = ['QUORATE_', 'BESU_'] as const

/** The source of each value for messages: `--name`, `QUORATE_NAME`, `name in FILE`. */
export type Sources = ReadonlyMap<string, string>

type Resolved<Table extends OptionTable> = {
  readonly values: OptionValues<Table>
  /** By option name; options with their default value are missing. */
  readonly sources: Sources
  /** The accepted options that only Besu has. */
  readonly accepted: readonly AcceptedOption[]
}

const variableName = (prefix: string, name: string): string =>
  `${prefix}${name.toUpperCase().replaceAll('-', '_')}`

const variableNames = (name: string): readonly string[] =>
  ENVIRONMENT_PREFIXES.map(prefix => variableName(prefix, name))

/** `QUORATE_RPC_HTTP_PORT` and `BESU_RPC_HTTP_PORT` for `rpc-http-port`; likewise for aliases. */
const environmentNames = (option: Option): readonly string[] =>
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

/** Records the variables of options that only Besu has: accepted ones, and mistakes. */
const readBesuVariables = (environment: Environment, { accepted, problems }: Report): void => {
  for (const name of BESU_OPTIONS.keys())
    for (const shown of variableNames(name)) {
      const value = environment[shown]
      if (value === undefined || value === '') continue
      const decision = decideBesuOption(name, value)
      if (decision?.kind === 'accepted') accepted.push({ shown, value, meaning: decision.meaning })
      if (decision?.kind === 'refused')
        problems.push(new UsageError('UNSUPPORTED', refusalText(name, shown, decision.reason)))
    }
}

const CONFIG_FILE = 'config-file'

const configFile = (
  table: OptionTable,
  given: Arguments['given'],
  environment: Environment,
): string | undefined => {
  // Another option of that name has another file.
  const option = Object.values(table).find(candidate => candidate === NODE_OPTIONS.configFile)
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

type Given = { readonly text: string; readonly source: string }

/** The text of an option from its first source that has one. */
const givenOf = (
  option: Option,
  { given }: Pick<Arguments, 'given'>,
  environment: Environment,
  others: readonly ReadonlyMap<string, Given>[],
): Given | undefined => {
  const flag = given.get(option.name)
  if (flag !== undefined) return { text: flag, source: `--${option.name}` }
  const variable = fromEnvironment(option, environment)
  if (variable !== undefined) return { text: variable[0], source: variable[1] }
  return others.find(source => source.has(option.name))?.get(option.name)
}

const withSource = (
  values: ReadonlyMap<string, string>,
  sourceOf: (name: string) => string,
): ReadonlyMap<string, Given> =>
  new Map([...values].map(([name, text]) => [name, { text, source: sourceOf(name) }]))

/** A command that only names the file takes no values from it. */
const onlyNamesFile = (table: OptionTable): boolean =>
  Object.values(table).every(({ name }) => name === CONFIG_FILE)

/**
 * Resolves every option of the table, and collects the mistakes of all sources; an option with a mistake has its default.
 * Sources in their order: command line, then QUORATE_* and BESU_* variables, then the TOML file, then the
 * profile, then its default.
 */
export const resolveAll = <Table extends OptionTable>(
  table: Table,
  words: Arguments,
  environment: Environment,
): Resolved<Table> & { readonly problems: readonly UsageError[] } => {
  const report: Report = { problems: [...words.problems], accepted: [...words.accepted] }
  const { problems } = report
  const path = collectErrors(problems, () => configFile(table, words.given, environment))
  readBesuVariables(environment, report)
  // The file of a node also serves the other commands, so it may contain every option of a node.
  const inFile =
    path === undefined || onlyNamesFile(table)
      ? undefined
      : collectErrors(problems, () => readTomlFile(path, { ...NODE_OPTIONS, ...table }, report))
  const file = withSource(inFile ?? new Map(), name => `${name} in ${path}`)
  const profile = table['profile']
  const profileName = profile && givenOf(profile, words, environment, [file])?.text.toUpperCase()
  const others = [file, withSource(profileValues(profileName), () => `--profile=${profileName}`)]
  const values: Record<string, unknown> = {}
  const sources = new Map<string, string>()
  for (const [key, option] of Object.entries(table)) {
    values[key] = option.fallback
    const found = givenOf(option, words, environment, others)
    if (found === undefined) continue
    values[key] =
      collectErrors(problems, () => parseValue(option, found.text, found.source)) ?? option.fallback
    sources.set(option.name, found.source)
  }
  return { values: values as OptionValues<Table>, sources, ...report }
}

/** Environment variables with the prefix QUORATE_ that name no option. */
export const unknownVariables = (table: OptionTable, environment: Environment): readonly string[] => {
  // Refused options of Besu have ended the start by now.
  const known = new Set([
    ...Object.values(table).flatMap(environmentNames),
    ...[...BESU_OPTIONS.keys()].flatMap(variableNames),
  ])
  return Object.keys(environment).filter(name => name.startsWith('QUORATE_') && !known.has(name))
}

/** `. Did you mean QUORATE_RPC_HTTP_PORT?`, or nothing where no option has such a name. */
export const variableHint = (table: OptionTable, name: string): string => {
  const known = Object.values(table).flatMap(environmentNames)
  const near = nearest(
    name,
    known.filter(each => each.startsWith('QUORATE_')),
  )
  return near === undefined ? '' : `. Did you mean ${near}?`
}
