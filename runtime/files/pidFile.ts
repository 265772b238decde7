import { pid } from 'node:process'
import { readFileSync, rmSync } from 'node:fs'
import { CommandError } from '../cli/errors.ts'
import { writeFileAtomically } from './atomic.ts'
import { writeFailureReason } from './reason.ts'

/**
 * Writes the id of this process for scripts. Returns the function that removes the file, unless another process has written
 * it since. @throws CommandError if it cannot be written
 */
export const writePidFile = (path: string | undefined): (() => void) => {
  if (path === undefined) return () => undefined
  const text = String(pid)
  try {
    writeFileAtomically(path, text)
  } catch (cause) {
    throw new CommandError('START_FAILED', `Cannot write --pid-path=${path}: ${writeFailureReason(cause)}`, {
      cause,
    })
  }
  return () => {
    try {
      if (readFileSync(path, 'utf8') === text) rmSync(path)
    } catch {
      // Removed by someone else: nothing is left to do.
    }
  }
}
