import { isatty } from 'node:tty'
import type { NodeOptions } from './nodeOptions.ts'
import type { Terminal } from './terminal/terminal.ts'
import { configureLog } from '../logging/log.ts'

type Logging = Pick<NodeOptions, 'logging' | 'loggingFormat' | 'colorEnabled'>

/**
 * Configures the log by the options: a node logs to standard output as Besu does, a command to standard error. Returns the format.
 * @param file writes a line to a file instead
 */
export const configureLogFrom = (
  options: Logging,
  terminal: Terminal,
  to: 'out' | 'error',
  file?: (line: string) => void,
): 'PLAIN' | 'JSON' => {
  const interactive = file === undefined && (to === 'out' ? isatty(1) : terminal.interactive)
  const format = options.loggingFormat === 'AUTO' ? (interactive ? 'PLAIN' : 'JSON') : options.loggingFormat
  configureLog({
    level: options.logging,
    format,
    colour: options.colorEnabled ?? interactive,
    write: file ?? (line => terminal.logLine(to, line)),
  })
  return format
}
