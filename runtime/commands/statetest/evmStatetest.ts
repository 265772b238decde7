import type { CommandContext } from '../../cli/command.ts'
import type { StatetestOptions } from './statetestCommand.ts'
import { CommandError, UsageError } from '../../cli/errors.ts'
import { compileAtFirstCall } from '../../compiler/segmentCompiler.ts'
import { useFastEngine } from '../../node/opening/engine.ts'
import { runStateTests } from './statetest.ts'

/** Runs official state tests; resolves to 1 when one fails. */
export const evmStatetest = async (context: CommandContext<StatetestOptions>): Promise<number> => {
  const { options, words, terminal } = context
  if (words.length === 0)
    throw new UsageError('INVALID_VALUE', 'No tests specified: give files or folders of state tests')
  await useFastEngine()
  if (options.compileAll) compileAtFirstCall()
  try {
    const { failed } = await runStateTests(words, { json: options.json, write: line => terminal.out(line) })
    return failed === 0 ? 0 : 1
  } catch (cause) {
    const { code, path } = cause as { readonly code?: string; readonly path?: string }
    if (code === 'ENOENT')
      throw new CommandError('INPUT', `There is no such file or folder: ${path}`, { cause })
    throw cause
  }
}
