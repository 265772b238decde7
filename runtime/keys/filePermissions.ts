import { statSync } from 'node:fs'
import { platform } from 'node:process'
import { CommandError } from '../cli/errors.ts'

/** Read, write and execute of the group and of all others. */
export const OTHERS = 0o077

/** Refuses a secret file that other users may read or change. @throws CommandError with the command that mends it */
export const requirePrivateFile = (path: string): void => {
  // Windows has no such permissions.
  if (platform === 'win32') return
  const mode = statSync(path).mode & 0o777
  if ((mode & OTHERS) === 0) return
  throw new CommandError(
    'KEY_FILE',
    `Other users of this machine may read or change ${path} (its mode is ${mode.toString(8)}). Run: chmod 600 ${path} (or start with --unsafe-key-permissions)`,
  )
}
