import { parseArgs } from 'node:util'
import { type AcceptedOption, BESU_OPTIONS, decideBesuOption, refusalText } from '../besu/besuOptions.ts'
import { UsageError } from '../errors.ts'
import type { Option, OptionTable } from '../option.ts'
import { nearest } from '../../../core/collections/nearest.ts'

/** Maximum arguments: more than a shell passes on. */
const ARGUMENTS_MAX = 100_000

/** The command line: option values as text by option name, and the words that are not options, in order. */
export type Arguments = {
  readonly given: ReadonlyMap<string, string>
  readonly words: readonly string[]
  /** Besu's options that this node does not have, with a value that names what this node does anyway. */
  readonly accepted: readonly AcceptedOption[]
  readonly problems: readonly UsageError[]
}

const namesOf = (table: OptionTable): Map<string, Option> => {
  const names = new Map<string, Option>()
  for (const option of Object.values(table))
    for (const name of [option.name, ...option.aliases]) names.set(name, option)
  return names
}

/** The options of a table by name and alias. */
export const optionNames: (table: OptionTable) => ReadonlyMap<string, Option> = namesOf

type Reading = {
  readonly given: Map<string, string>
  readonly words: string[]
  readonly accepted: AcceptedOption[]
  readonly problems: UsageError[]
}

const unknownOption = (rawName: string, names: ReadonlyMap<string, Option>): UsageError => {
  const near = rawName.startsWith('--') ? nearest(rawName.slice(2), names.keys()) : undefined
  const hint = near === undefined ? '' : `. Did you mean --${near}?`
  return new UsageError('UNKNOWN_OPTION', `Unknown option: '${rawName}'${hint}`)
}

/** Records an option that no command has: as an accepted one of Besu's, or as a mistake. */
const readBesuOption = (
  { accepted, problems }: Reading,
  rawName: string,
  value: string,
  names: ReadonlyMap<string, Option>,
): void => {
  const name = rawName.replace(/^-+/, '')
  const decision = decideBesuOption(name, value)
  if (decision === undefined) problems.push(unknownOption(rawName, names))
  else if (decision.kind === 'accepted') accepted.push({ shown: rawName, value, meaning: decision.meaning })
  else problems.push(new UsageError('UNSUPPORTED', refusalText(name, rawName, decision.reason)))
}

type Token = {
  readonly kind: 'option' | 'positional' | 'option-terminator'
  readonly rawName?: string
  readonly name?: string
  readonly value?: string | undefined
  readonly inlineValue?: boolean | undefined
}

const tokenize = (args: readonly string[], names: ReadonlyMap<string, Option>): readonly Token[] => {
  const options: Record<string, { type: 'boolean' | 'string'; short?: string }> = {
    help: { type: 'boolean', short: 'h' },
    version: { type: 'boolean', short: 'V' },
  }
  for (const [name, option] of names)
    options[name] = {
      type: option.kind === 'boolean' ? 'boolean' : 'string',
      ...(option.short !== undefined && option.name === name ? { short: option.short } : {}),
    }
  // Besu's other options take their value, too, so that the value is not read as a command.
  for (const [name, { isFlag }] of BESU_OPTIONS) options[name] ??= { type: isFlag ? 'boolean' : 'string' }
  // Not strict: the errors have Besu's texts, not Node's.
  return parseArgs({ args: [...args], strict: false, tokens: true, allowPositionals: true, options }).tokens
}

/** Reads the value of an option of a command into `given`. @returns the number of further tokens that it used */
const readOption = (reading: Reading, option: Option, token: Token, next: Token | undefined): number => {
  const { given, problems } = reading
  const rawName = token.rawName as string
  let { value } = token
  let used = 0
  if (option.kind === 'boolean') {
    if (nextIsBoolean(token, next)) {
      used = 1
      value = next?.value
    }
    value ??= 'true'
  } else if (value === undefined || (token.inlineValue === false && value.startsWith('--'))) {
    const text = `Missing required parameter for option '${rawName}' (${option.placeholder})`
    problems.push(new UsageError('INVALID_VALUE', text))
    return 0
  }
  const before = given.get(option.name)
  if (before === undefined) given.set(option.name, value)
  else if (option.kind === 'list') given.set(option.name, `${before},${value}`)
  else
    problems.push(new UsageError('INVALID_VALUE', `Option '--${option.name}' should be specified only once`))
  return used
}

const nextIsBoolean = (token: Token, next: Token | undefined): boolean =>
  token.value === undefined && next?.kind === 'positional' && /^(true|false)$/i.test(next.value as string)

const HELP_FLAGS = ['--help', '-h', '--version', '-V']

/**
 * Reads a command line with node:util's parseArgs: `--name value`, `--name=value`, `-l value`, `--flag`, `--flag=false`,
 * `--flag false`; lists may be repeated. Its errors are collected and reported together with those of the other sources.
 * @throws UsageError for more arguments than a shell passes on
 */
export const readArguments = (args: readonly string[], table: OptionTable): Arguments => {
  if (args.length > ARGUMENTS_MAX)
    throw new UsageError('INVALID_COMMAND', `More than ${ARGUMENTS_MAX} arguments`)
  const names = namesOf(table)
  const tokens = tokenize(args, names)
  const reading: Reading = { given: new Map(), words: [], accepted: [], problems: [] }
  for (let i = 0; i < tokens.length; i++) {
    const token = tokens[i] as Token
    if (token.kind === 'positional') reading.words.push(token.value as string)
    if (token.kind !== 'option') continue
    const rawName = token.rawName as string
    const next = tokens[i + 1]
    if (HELP_FLAGS.includes(rawName)) {
      reading.given.set(token.name as string, 'true')
      continue
    }
    const option = rawName.startsWith('--') ? names.get(rawName.slice(2)) : names.get(token.name as string)
    if (option !== undefined) {
      i += readOption(reading, option, token, next)
      continue
    }
    const usesNext = nextIsBoolean(token, next)
    readBesuOption(reading, rawName, (usesNext ? next?.value : token.value) ?? 'true', names)
    if (usesNext) i++
  }
  return reading
}
