import type { Terminal } from '../cli/terminal/terminal.ts'
import { writeFileAtomically } from '../files/atomic.ts'

/** Writes the result of a command to the file `to` and says so, or to the terminal without one. Returns the exit code. */
export const writeResult = (to: string | undefined, terminal: Terminal, text: string): number => {
  if (to === undefined) terminal.out(text)
  else {
    writeFileAtomically(to, text)
    terminal.error(`Wrote ${to}`)
  }
  return 0
}
