import type { AcceptedOption } from './besu/besuOptions.ts'
import type { UsageError } from './errors.ts'
import type { OptionTable, OptionValues } from './option.ts'
import type { Environment, Sources } from './sources/resolve.ts'
import type { Terminal } from './terminal/terminal.ts'

export type CommandContext<Table extends OptionTable = OptionTable> = {
  readonly options: OptionValues<Table>
  readonly sources: Sources
  /** The accepted options that only Besu has. */
  readonly accepted: readonly AcceptedOption[]
  /** Words after the name of the command. */
  readonly words: readonly string[]
  readonly environment: Environment
  readonly terminal: Terminal
}

export type Command = {
  /** The words that name the command, such as `blocks import`; empty for the node itself. */
  readonly name: string
  readonly summary: string
  /** Its arguments as help shows them, such as `[FILE...]`; empty if it takes none. */
  readonly arguments: string
  readonly options: OptionTable
  readonly examples: readonly string[]
  /** Errors in options that depend on each other, reported together with those in single options. */
  readonly check?: (options: OptionValues<OptionTable>) => Promise<readonly UsageError[]>
  /** Resolves to the exit code. @throws UsageError, CommandError */
  readonly run: (context: CommandContext) => Promise<number>
}

/** Defines a command whose function gets options of the types in its table. */
export const defineCommand = <Table extends OptionTable>(
  command: Omit<Command, 'options' | 'run' | 'check'> & {
    readonly options: Table
    readonly check?: (options: OptionValues<Table>) => Promise<readonly UsageError[]>
    /** Loads the code of the command only when it runs. */
    readonly load: () => Promise<(context: CommandContext<Table>) => Promise<number>>
  },
): Command => {
  const { load, check, ...rest } = command
  return {
    ...rest,
    ...(check === undefined ? {} : { check: options => check(options as OptionValues<Table>) }),
    run: async context => (await load())(context as unknown as CommandContext<Table>),
  }
}
