import { pid } from 'node:process'
import { lstatSync, readFileSync, rmSync } from 'node:fs'
import { CommandError } from '../cli/errors.ts'
import { writeFileAtomically } from './atomic.ts'
import { writeFailureReason } from './reason.ts'

/** Maximum length of the id of a process and the end of its line. */
const PID_BYTES_MAX = 20

/** True if the path is free or holds the id of a process: any other file is somebody's, such as a key. */
const isReplaceable = (path: string): boolean => {
  const found = lstatSync(path, { throwIfNoEntry: false })
  if (found === undefined) return true
  return found.isFile() && found.size <= PID_BYTES_MAX && /^\d*\s*$/.test(readFileSync(path, 'utf8'))
}

/**
 * Writes the id of this process for scripts. Returns the function that removes the file, unless another process has written
 * it since. @throws CommandError if it cannot be written
 */
export const writePidFile = (path: string | undefined): (() => void) => {
  if (path === undefined) return () => undefined
  if (!isReplaceable(path))
    throw new CommandError(
      'START_FAILED',
      `Cannot write --pid-path=${path}: it exists and is no file with the id of a process; give another path`,
    )
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
