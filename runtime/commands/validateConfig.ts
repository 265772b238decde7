import type { CommandContext } from '../cli/command.ts'
import type { ValidateOptions } from './validateConfigCommand.ts'
import { UsageError } from '../cli/errors.ts'
import { NODE_OPTIONS } from '../cli/nodeOptions.ts'
import { resolveOptions } from '../cli/resolve.ts'

/** Checks keys, types and values of the file as a start would, without starting anything. */
export const validateConfig = async ({
  options,
  terminal,
}: CommandContext<ValidateOptions>): Promise<number> => {
  if (options.configFile === undefined)
    throw new UsageError('INVALID_VALUE', "Missing required option: '--config-file=<PATH>'")
  resolveOptions(NODE_OPTIONS, new Map([['config-file', options.configFile]]), {})
  terminal.out(
    'TOML config file is valid on basic inspection. Further dependencies and related options are checked when a node starts.',
  )
  return 0
}
