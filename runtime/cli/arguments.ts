import { parseArgs } from 'node:util'
import { UsageError } from './errors.ts'
import type { Option, OptionTable } from './option.ts'
import { nearest } from './suggest.ts'
import { UNSUPPORTED_OPTIONS } from './unsupported.ts'

/** Maximum arguments: more than a shell passes on. */
const ARGUMENTS_MAX = 100_000

/** The command line: option values as text by option name, and the words that are not options, in order. */
export type Arguments = {
  readonly given: ReadonlyMap<string, string>
  readonly words: readonly string[]
}

const namesOf = (table: OptionTable): Map<string, Option> => {
  const names = new Map<string, Option>()
  for (const option of Object.values(table))
    for (const name of [option.name, ...option.aliases]) names.set(name, option)
  return names
}

/** The options of a table by name and alias. */
export const optionNames: (table: OptionTable) => ReadonlyMap<string, Option> = namesOf

/** Whether an unsupported option of Besu is accepted, because its value asks for what the node does anyway. */
export const isAcceptedAnyway = (name: string, value: string): boolean =>
  UNSUPPORTED_OPTIONS.get(name)?.accepted.some(text => text.toLowerCase() === value.toLowerCase()) ?? false

/** The error text for an unsupported option of Besu; undefined for a name that Besu does not have either. */
export const unsupportedText = (name: string, shown: string): string | undefined => {
  const unsupported = UNSUPPORTED_OPTIONS.get(name)
  if (unsupported === undefined) return undefined
  const only = unsupported.accepted.map(value => `${shown}=${value}`).join(' or ')
  return `Option '${shown}' is not supported yet: ${unsupported.area} will come in a later release. Remove it${only === '' ? '' : `, or give ${only}`}.`
}

const unknownOption = (rawName: string, names: ReadonlyMap<string, Option>): UsageError => {
  const unsupported = unsupportedText(rawName.replace(/^-+/, ''), rawName)
  if (unsupported !== undefined) return new UsageError('UNSUPPORTED', unsupported)
  const near = rawName.startsWith('--') ? nearest(rawName.slice(2), names.keys()) : undefined
  const hint = near === undefined ? '' : `. Did you mean --${near}?`
  return new UsageError('UNKNOWN_OPTION', `Unknown option: '${rawName}'${hint}`)
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
  // Unsupported options take their value, so that the value is not read as a command.
  for (const [name, { accepted }] of UNSUPPORTED_OPTIONS)
    options[name] ??= { type: accepted.includes('false') || accepted.includes('true') ? 'boolean' : 'string' }
  // Not strict: the errors have Besu's texts, not Node's.
  return parseArgs({ args: [...args], strict: false, tokens: true, allowPositionals: true, options }).tokens
}

/**
 * Reads a command line with node:util's parseArgs: `--name value`, `--name=value`, `-l value`, `--flag`, `--flag=false`,
 * `--flag false`; lists may be repeated.
 * @throws UsageError
 */
export const readArguments = (args: readonly string[], table: OptionTable): Arguments => {
  if (args.length > ARGUMENTS_MAX)
    throw new UsageError('INVALID_COMMAND', `More than ${ARGUMENTS_MAX} arguments`)
  const names = namesOf(table)
  const tokens = tokenize(args, names)
  const given = new Map<string, string>()
  const words: string[] = []
  for (let i = 0; i < tokens.length; i++) {
    const token = tokens[i] as Token
    if (token.kind === 'positional') words.push(token.value as string)
    if (token.kind !== 'option') continue
    const rawName = token.rawName as string
    const next = tokens[i + 1]
    const nextIsBoolean =
      token.value === undefined && next?.kind === 'positional' && /^(true|false)$/i.test(next.value as string)
    if (rawName === '--help' || rawName === '-h' || rawName === '--version' || rawName === '-V') {
      given.set(token.name as string, 'true')
      continue
    }
    const option = rawName.startsWith('--') ? names.get(rawName.slice(2)) : names.get(token.name as string)
    if (option === undefined) {
      const value = nextIsBoolean ? (next.value as string) : (token.value ?? 'true')
      if (!isAcceptedAnyway(rawName.slice(2), value)) throw unknownOption(rawName, names)
      if (nextIsBoolean) i++
      continue
    }
    let value = token.value
    if (option.kind === 'boolean') {
      if (nextIsBoolean) i++
      value ??= nextIsBoolean ? next.value : 'true'
    } else if (value === undefined || (token.inlineValue === false && value.startsWith('--')))
      throw new UsageError(
        'INVALID_VALUE',
        `Missing required parameter for option '${rawName}' (${option.placeholder})`,
      )
    const before = given.get(option.name)
    if (before !== undefined && option.kind !== 'list')
      throw new UsageError('INVALID_VALUE', `Option '--${option.name}' should be specified only once`)
    given.set(option.name, before === undefined ? (value as string) : `${before},${value}`)
  }
  return { given, words }
}
