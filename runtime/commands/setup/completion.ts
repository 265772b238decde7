import type { CommandContext } from '../../cli/command.ts'
import { type Shell, SHELLS, completionScript } from '../../cli/completion.ts'
import { UsageError } from '../../cli/errors.ts'
import { COMMANDS, NODE_COMMAND } from '../commands.ts'

/** Prints the script that completes commands and options in a shell. */
export const generateCompletion = async ({ words, terminal }: CommandContext): Promise<number> => {
  const [shell = 'bash', ...more] = words
  if (more.length > 0 || !SHELLS.includes(shell as Shell))
    throw new UsageError('INVALID_COMMAND', `Give one shell: ${SHELLS.join(', ')}`)
  terminal.out(completionScript(shell as Shell, [NODE_COMMAND, ...COMMANDS]))
  return 0
}
