import type { OptionTable, OptionValues } from './option.ts'
import type { Environment, Sources } from './resolve.ts'
import type { Terminal } from './terminal.ts'

export type CommandContext<Table extends OptionTable = OptionTable> = {
  readonly options: OptionValues<Table>
  readonly sources: Sources
  /** Words after the command's own. */
  readonly words: readonly string[]
  readonly environment: Environment
  readonly terminal: Terminal
}

export type Command = {
  /** What is typed to get it, such as `blocks import`; empty for the node itself. */
  readonly name: string
  readonly summary: string
  /** Words it takes, as help shows them, such as `[FILE...]`; empty when it takes none. */
  readonly arguments: string
  readonly options: OptionTable
  readonly examples: readonly string[]
  /** Resolves to the exit code. @throws UsageError, CommandError */
  readonly run: (context: CommandContext) => Promise<number>
}

/** Keeps the type of the options from the table to the function that runs. */
export const defineCommand = <Table extends OptionTable>(
  command: Omit<Command, 'options' | 'run'> & {
    readonly options: Table
    /** Loads the code of the command, so that no start pays for the others. */
    readonly load: () => Promise<(context: CommandContext<Table>) => Promise<number>>
  },
): Command => {
  const { load, ...rest } = command
  return { ...rest, run: async context => (await load())(context as unknown as CommandContext<Table>) }
}
