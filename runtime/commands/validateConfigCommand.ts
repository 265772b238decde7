import { type Command, defineCommand } from '../cli/command.ts'
import { NODE_OPTIONS } from '../cli/nodeOptions.ts'

export type ValidateOptions = typeof VALIDATE_OPTIONS
const VALIDATE_OPTIONS = { configFile: NODE_OPTIONS.configFile }

export const VALIDATE_CONFIG_COMMAND: Command = defineCommand({
  name: 'validate-config',
  summary: 'Check the keys and values of a TOML configuration file',
  arguments: '',
  options: VALIDATE_OPTIONS,
  examples: ['--config-file=quorate.toml'],
  load: async () => (await import('./validateConfig.ts')).validateConfig,
})
