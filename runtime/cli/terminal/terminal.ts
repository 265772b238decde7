import { stderr, stdin, stdout } from 'node:process'
import { isatty } from 'node:tty'
import { escapeLines } from '../../../core/text/escapeText.ts'
import { CommandError } from '../errors.ts'
import { readSecret } from './readSecret.ts'
import { hideUrlSecrets } from '../../text/shownUrl.ts'

/** Input and output of a command: results go to `out`, everything else to `error`. Both escape what terminals obey. */
export type Terminal = {
  out(text: string): void
  error(text: string): void
  /** Writes a line of the log, which is escaped already and may have colours. */
  logLine(to: 'out' | 'error', line: string): void
  /** True if `error` is a terminal. */
  readonly interactive: boolean
  readonly columns: number
  /** True if standard input is a terminal. */
  readonly inputInteractive: boolean
  /** Reads a hidden line. @throws CommandError on Ctrl-C */
  readSecret(prompt: string): Promise<string>
  /** Reads standard input to its end, as text. @throws CommandError if it is longer than `bytesMax` bytes */
  readInput(bytesMax: number): Promise<string>
  /** Resolves when the system has taken all output, so that the process may exit. */
  flush(): Promise<void>
}

const readInput = async (bytesMax: number): Promise<string> => {
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of stdin) {
    chunks.push(chunk as Uint8Array)
    length += (chunk as Uint8Array).length
    if (length > bytesMax) throw new CommandError('INPUT', `standard input is longer than ${bytesMax} bytes`)
  }
  return new TextDecoder().decode(Buffer.concat(chunks))
}

// A reader that closes the pipe (`| head`) must neither stop a node nor fail a command.
for (const stream of [stdout, stderr]) stream.on('error', () => undefined)

export const processTerminal: Terminal = {
  out: text => void stdout.write(`${escapeLines(text)}\n`),
  error: text => void stderr.write(`${escapeLines(hideUrlSecrets(text))}\n`),
  logLine: (to, line) => void (to === 'out' ? stdout : stderr).write(`${line}\n`),
  interactive: isatty(2),
  // Zero on terminals that do not know their width.
  columns: stderr.columns || 100,
  inputInteractive: isatty(0),
  readSecret,
  readInput,
  flush: async () => {
    for (const stream of [stdout, stderr])
      await new Promise<void>(resolve => void stream.write('', () => resolve()))
  },
}
