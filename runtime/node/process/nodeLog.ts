import process from 'node:process'
import type { NodeOptions } from '../../cli/nodeOptions.ts'
import { configureLogFrom } from '../../cli/configureLog.ts'
import { CommandError } from '../../cli/errors.ts'
import type { Terminal } from '../../cli/terminal/terminal.ts'
import { writeFailureReason } from '../../files/reason.ts'
import { isLogOrFree, type LogFile, openLogFile } from '../../logging/logFile.ts'
import { logOf } from '../../logging/log.ts'
import { usesTls } from '../servers/tls.ts'

const BYTES_PER_MIB = 1024 * 1024

export type NodeLog = {
  readonly format: 'PLAIN' | 'JSON'
  readonly close: () => void
}

const openFile = (
  { logFile, logFileMaxSize, logFileCount }: NodeOptions,
  terminal: Terminal,
): LogFile | undefined => {
  if (logFile === undefined) return undefined
  if (!isLogOrFree(logFile))
    throw new CommandError(
      'START_FAILED',
      `Cannot write the log to ${logFile}: it exists and does not begin with a line of a log, as a key or a genesis file does not. Give another --log-file.`,
    )
  try {
    return openLogFile({
      path: logFile,
      bytesMax: logFileMaxSize * BYTES_PER_MIB,
      kept: logFileCount,
      onFailure: reason => terminal.error(`The log cannot be written to ${logFile}: ${reason}`),
    })
  } catch (cause) {
    throw new CommandError(
      'START_FAILED',
      `Cannot write the log to ${logFile}: ${writeFailureReason(cause)}. Give another --log-file.`,
      { cause },
    )
  }
}

/**
 * Configures the log of a node. SIGHUP opens the file again, after another program has moved it.
 * @throws CommandError when the file cannot be opened
 */
export const openNodeLog = (options: NodeOptions, terminal: Terminal): NodeLog => {
  const file = openFile(options, terminal)
  const format = configureLogFrom(options, terminal, 'out', file?.write)
  const onHangUp = (): void => {
    file?.reopen()
    if (file !== undefined) logOf('node').info('SIGHUP: the log file was opened again')
    else if (!usesTls(options)) logOf('node').info('SIGHUP has no effect: the log is not in a file')
  }
  process.on('SIGHUP', onHangUp)
  return {
    format,
    close: () => {
      process.off('SIGHUP', onHangUp)
      file?.close()
    },
  }
}
