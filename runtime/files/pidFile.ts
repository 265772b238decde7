import { kill, pid } from 'node:process'
import { lstatSync, readFileSync, rmSync } from 'node:fs'
import { CommandError } from '../cli/errors.ts'
import { writeFileAtomically } from './atomic.ts'
import { writeFailureReason } from './reason.ts'

/** Maximum length of the id of a process and the end of its line. */
const PID_BYTES_MAX = 20

/** An argument of a node's command line: its program, or one of its entry points. */
const NODE_PROGRAM = /(?:^|\/)(?:quorate(?:-[a-z0-9-]+)?|main\.[jt]s|start\.js)$/

/** The id in the file; undefined where nothing is at the path, or the file is empty. @throws CommandError for any other file, such as a key */
const readPid = (path: string): number | undefined => {
  const found = lstatSync(path, { throwIfNoEntry: false })
  if (found === undefined) return undefined
  const text = found.isFile() && found.size <= PID_BYTES_MAX ? readFileSync(path, 'utf8') : undefined
  if (text === undefined || !/^\d*\s*$/.test(text))
    throw new CommandError(
      'START_FAILED',
      `Cannot write --pid-path=${path}: it exists and is no file with the id of a process; give another path`,
    )
  return text.trim() === '' ? undefined : Number(text)
}

const isRunning = (id: number): boolean => {
  try {
    kill(id, 0)
    return true
  } catch (error) {
    // The process of another user.
    return (error as { code?: unknown }).code === 'EPERM'
  }
}

/** False for a process that is known to be another program, which has the id of a node that was killed. */
const mayBeNode = (id: number): boolean => {
  try {
    const args = readFileSync(`/proc/${id}/cmdline`, 'utf8').split('\0')
    return args.some(arg => NODE_PROGRAM.test(arg))
  } catch {
    // Only Linux shows it.
    return true
  }
}

/** @throws CommandError when the node that has written the file runs */
const requireEnded = (path: string, id: number | undefined): void => {
  if (id === undefined || id === pid || !isRunning(id) || !mayBeNode(id)) return
  throw new CommandError(
    'START_FAILED',
    `Cannot write --pid-path=${path}: it names the process ${id}, a node that runs; stop that one, or give another path`,
  )
}

/**
 * Writes the id of this process for scripts. Returns the function that removes the file, unless another process has written
 * it since. @throws CommandError if it cannot be written, or names a node that runs
 */
export const writePidFile = (path: string | undefined): (() => void) => {
  if (path === undefined) return () => undefined
  requireEnded(path, readPid(path))
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
