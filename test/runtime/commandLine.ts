import type { Terminal } from '../../runtime/cli/terminal/terminal.ts'
import { runCommandLine } from '../../runtime/commands/run.ts'

export type Outcome = { readonly code: number; readonly out: string; readonly error: string }

/** Runs a command line to its end in this process. @param input standard input, or the error of reading it */
export const runHere = async (args: readonly string[], input: string | Error = ''): Promise<Outcome> => {
  let out = ''
  let error = ''
  const terminal: Terminal = {
    out: text => {
      out += `${text}\n`
    },
    error: text => {
      error += `${text}\n`
    },
    logLine: (to, line) => terminal[to](line),
    interactive: false,
    inputInteractive: false,
    readSecret: () => Promise.reject(new Error('nobody is there to ask')),
    columns: 100,
    readInput: () => (input instanceof Error ? Promise.reject(input) : Promise.resolve(input)),
    flush: () => Promise.resolve(),
  }
  const code = await runCommandLine(args, {}, terminal)
  return { code, out, error }
}
