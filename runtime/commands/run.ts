import { NAME, VERSION } from '../product.ts'
import { type Arguments, readArguments } from '../cli/sources/arguments.ts'
import type { Command } from '../cli/command.ts'
import { COMMANDS, NODE_COMMAND } from './commands.ts'
import { REFUSED_COMMANDS } from '../cli/besu/commands.ts'
import { combineUsageErrors, CommandError, UsageError } from '../cli/errors.ts'
import { familyHelp, helpText } from '../cli/help.ts'
import { PROGRAM } from '../cli/program.ts'
import type { OptionTable } from '../cli/option.ts'
import { type Environment, resolveAll } from '../cli/sources/resolve.ts'
import { hideUrlSecrets } from '../text/shownUrl.ts'
import { nearest } from '../../core/collections/nearest.ts'
import { escapeText } from '../../core/text/escapeText.ts'
import type { Terminal } from '../cli/terminal/terminal.ts'

export const EXIT_FAILURE = 1
export const EXIT_USAGE = 2

/** Options of all commands: all are needed to tell a command name from an option value. */
const ALL_OPTIONS: OptionTable = Object.fromEntries(
  [NODE_COMMAND, ...COMMANDS]
    .flatMap(({ options }) => Object.values(options))
    .map(option => [option.name, option]),
)

type Found = { readonly command: Command; readonly rest: readonly string[] }

/** The commands whose name begins with this word, where none has it as its whole name. */
const familyOf = (first: string): readonly Command[] =>
  COMMANDS.some(({ name }) => name === first)
    ? []
    : COMMANDS.filter(({ name }) => name.startsWith(`${first} `))

const findCommand = (words: readonly string[]): Found => {
  if (words.length === 0) return { command: NODE_COMMAND, rest: [] }
  for (const length of [2, 1]) {
    const name = words.slice(0, length).join(' ')
    const command = COMMANDS.find(candidate => candidate.name === name)
    if (command !== undefined) return { command, rest: words.slice(length) }
  }
  const first = words[0] as string
  const refusal = REFUSED_COMMANDS.get(first)
  // A subcommand of Besu; without one the own ones are named.
  if (refusal !== undefined && words.length > 1)
    throw new UsageError('UNSUPPORTED', `Command '${first}' is refused: ${refusal}`)
  const family = familyOf(first).map(({ name }) => name)
  if (family.length > 0)
    throw new UsageError(
      'INVALID_COMMAND',
      `Missing or unknown subcommand of '${first}': there are ${family.join(' and ')}`,
    )
  const near = nearest(
    first,
    COMMANDS.flatMap(({ name }) => [name, name.split(' ')[0] as string]),
  )
  const hint = near === undefined ? '' : `. Did you mean ${near}?`
  throw new UsageError('INVALID_COMMAND', `Unmatched argument: '${words.join(' ')}'${hint}`)
}

/**
 * The command of a command line; an unknown command is reported together with the other mistakes.
 * @throws UsageError
 */
const commandOf = ({ words, problems }: Arguments): Found => {
  try {
    return findCommand(words)
  } catch (error) {
    throw error instanceof UsageError ? combineUsageErrors([...problems, error]) : error
  }
}

/** The given options that belong to other commands. */
const foreignOptions = (command: Command, given: ReadonlyMap<string, string>): readonly UsageError[] => {
  const own = new Set(['help', 'version', ...Object.values(command.options).map(({ name }) => name)])
  const foreign = [...given.keys()].filter(name => !own.has(name))
  return foreign.map(name => {
    const owners = [NODE_COMMAND, ...COMMANDS]
      .filter(({ options }) => Object.values(options).some(option => option.name === name))
      .map(owner => (owner.name === '' ? 'the node' : `'${owner.name}'`))
    const here = command.name === '' ? 'the node' : `'${command.name}'`
    return new UsageError(
      'UNKNOWN_OPTION',
      `Option '--${name}' is not one of ${here}, it belongs to ${owners.join(', ')}`,
    )
  })
}

/** The frames on lines of their own, below the message on one: it may be of another program. */
const stackText = ({ name, message, stack = '' }: Error): string => {
  const frames = stack.split('\n').filter(line => /^\s+at /.test(line))
  return [escapeText(`${name}: ${message}`), ...frames.map(line => `    ${escapeText(line.trim())}`)].join(
    '\n',
  )
}

/**
 * One line; with the stack if `--logging=DEBUG` asks for it, or the command has no such option.
 * @param canAsk whether the command has the option `--logging`
 */
const describe = (error: unknown, verbose: boolean, canAsk: boolean): string => {
  if (!(error instanceof Error)) return escapeText(String(error))
  if (verbose) return stackText(error)
  const typed = typeof (error as { code?: unknown }).code === 'string'
  // One that names several settings has a line for each.
  if (error instanceof UsageError) return error.message
  if (typed) return escapeText(error.message)
  if (!canAsk) return stackText(error)
  return `Unexpected ${error.name}: ${escapeText(error.message.replace(/\.$/, ''))}. Run again with --logging=DEBUG to see where it happened.`
}

/** The node cannot start with these until an operator has changed a file: service managers do not restart it. */
const isConfiguration = (error: unknown): boolean =>
  error instanceof CommandError && (error.code === 'GENESIS' || error.code === 'KEY_FILE')

/** Runs one command line to its end and resolves to the exit code. */
export const runCommandLine = async (
  args: readonly string[],
  environment: Environment,
  terminal: Terminal,
): Promise<number> => {
  let verbose = false
  let canAsk = true
  let called = '[COMMAND]'
  try {
    const read = readArguments(args, ALL_OPTIONS)
    const { given } = read
    verbose = /^(DEBUG|TRACE|ALL)$/i.test(given.get('logging') ?? '')
    if (given.has('version')) {
      terminal.out(`${NAME}/v${VERSION}`)
      return 0
    }
    const family = given.has('help') && read.words.length === 1 ? familyOf(read.words[0] as string) : []
    if (family.length > 0) {
      terminal.out(familyHelp(read.words[0] as string, family, terminal.columns))
      return 0
    }
    const { command, rest } = commandOf(read)
    canAsk = 'logging' in command.options
    if (command !== NODE_COMMAND) called = command.name
    if (given.has('help')) {
      terminal.out(helpText(command, command === NODE_COMMAND ? COMMANDS : [], terminal.columns))
      return 0
    }
    const problems = [...read.problems, ...foreignOptions(command, given)]
    if (rest.length > 0 && command.arguments === '')
      problems.push(new UsageError('INVALID_COMMAND', `Unmatched argument: '${rest.join(' ')}'`))
    const {
      values,
      problems: found,
      ...resolved
    } = resolveAll(command.options, { ...read, problems }, environment)
    const all = [...found, ...((await command.check?.(values)) ?? [])]
    if (all.length > 0) throw combineUsageErrors(all)
    return await command.run({ options: values, ...resolved, words: rest, environment, terminal })
  } catch (error) {
    terminal.error(hideUrlSecrets(describe(error, verbose, canAsk)))
    if (called === '[COMMAND]' && isConfiguration(error)) return EXIT_USAGE
    if (!(error instanceof UsageError)) return EXIT_FAILURE
    terminal.error(`\nTo display full help:\n${PROGRAM} ${called} --help`)
    return EXIT_USAGE
  }
}
