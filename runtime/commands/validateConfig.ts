import type { CommandContext } from '../cli/command.ts'
import type { ValidateOptions } from './validateConfigCommand.ts'
import { combineUsageErrors, requireOption } from '../cli/errors.ts'
import { checkCombinations } from '../node/checkOptions.ts'
import { NODE_OPTIONS } from '../cli/nodeOptions.ts'
import { resolveAll } from '../cli/sources/resolve.ts'

/** Checks keys, types and values of the file as a start would, without starting anything. */
export const validateConfig = async ({
  options,
  terminal,
}: CommandContext<ValidateOptions>): Promise<number> => {
  const given = new Map([['config-file', requireOption(options.configFile, '--config-file=<PATH>')]])
  const resolved = resolveAll(NODE_OPTIONS, { given, words: [], accepted: [], problems: [] }, {})
  const { values, accepted } = resolved
  const problems = [...resolved.problems, ...checkCombinations(values)]
  if (problems.length > 0) throw combineUsageErrors(problems)
  for (const { shown, value, meaning } of accepted) terminal.out(`${shown}=${value} is accepted: ${meaning}`)
  terminal.out(
    'TOML config file is valid on basic inspection. The files that it names are read when a node starts.',
  )
  return 0
}
