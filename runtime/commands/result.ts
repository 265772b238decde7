import type { Terminal } from '../cli/terminal.ts'
import { writeFileAtomically } from '../files/atomic.ts'

/** The result of a command: into the file that was named, else to the terminal. Gives the exit code. */
export const giveResult = (to: string | undefined, terminal: Terminal, text: string): number => {
  if (to === undefined) terminal.out(text)
  else writeFileAtomically(to, text)
  return 0
}
