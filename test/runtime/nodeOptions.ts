import { combineUsageErrors } from '../../runtime/cli/errors.ts'
import { NODE_OPTIONS } from '../../runtime/cli/nodeOptions.ts'
import { readArguments } from '../../runtime/cli/sources/arguments.ts'
import { type Environment, resolveAll } from '../../runtime/cli/sources/resolve.ts'

/** The options of a node from a command line. @throws UsageError that reports all mistakes together */
export const resolveNodeOptions = (args: readonly string[], environment: Environment = {}) => {
  const words = readArguments(args, NODE_OPTIONS)
  const { problems, ...resolved } = resolveAll(NODE_OPTIONS, words, environment)
  if (problems.length > 0) throw combineUsageErrors(problems)
  return resolved
}
