import type { OptionTable, OptionValues } from './option.ts'
import type { Environment, Sources } from './resolve.ts'
import type { Terminal } from './terminal.ts'

export type CommandContext<Table extends OptionTable = OptionTable> = {
  readonly options: OptionValues<Table>
  readonly sources: Sources
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
  /** Resolves to the exit code. @throws UsageError, CommandError */
  readonly run: (context: CommandContext) => Promise<number>
}

/** Defines a command whose function gets options of the types in its table. */
export const defineCommand = <Table extends OptionTable>(
  command: Omit<Command, 'options' | 'run'> & {
    readonly options: Table
    /** Loads the code of the command only when it runs. */
    readonly load: () => Promise<(context: CommandContext<Table>) => Promise<number>>
  },
): Command => {
  const { load, ...rest } = command
  return { ...rest, run: async context => (await load())(context as unknown as CommandContext<Table>) }
}
