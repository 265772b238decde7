import { stderr, stdin, stdout } from 'node:process'
import { isatty } from 'node:tty'
import { CommandError } from './errors.ts'
import { readSecret } from './readSecret.ts'

/** Where a command writes: results to `out`, everything else to `error`. */
export type Terminal = {
  out(text: string): void
  error(text: string): void
  /** True when `error` goes to a person's screen. */
  readonly interactive: boolean
  readonly columns: number
  /** True when a person types what `readSecret` reads. */
  readonly inputInteractive: boolean
  /** Asks for a line that is not shown. @throws CommandError when it is broken off */
  readSecret(prompt: string): Promise<string>
  /** Standard input to its end, as text. @throws CommandError when it is longer than `bytesMax` bytes */
  readInput(bytesMax: number): Promise<string>
  /** Resolves when everything written is with the system, so that the process may end. */
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

// A reader that goes away (`| head`) must neither stop a node nor make a command fail.
for (const stream of [stdout, stderr]) stream.on('error', () => undefined)

export const processTerminal: Terminal = {
  out: text => void stdout.write(`${text}\n`),
  error: text => void stderr.write(`${text}\n`),
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
