import { statSync } from 'node:fs'
import process, { platform } from 'node:process'
import { CommandError } from '../cli/errors.ts'
import { logOf } from '../logging/log.ts'

/** Read, write and execute of the group and of all others. */
const OTHERS = 0o077
const GROUP_READS = 0o040

export type FileAccess = {
  /** `group`: a group of this process may read it too, as where Kubernetes mounts a secret for `fsGroup`. */
  readonly open: 'nobody' | 'group' | 'others'
  readonly mode: number
}

const isOwnGroup = (gid: number): boolean =>
  process.getgid?.() === gid || process.getgroups?.().includes(gid) === true

/** Who besides its owner may use a secret file. */
export const accessOf = (path: string): FileAccess => {
  const { mode: all, gid } = statSync(path)
  const mode = all & 0o777
  // Windows has no such permissions.
  if (platform === 'win32' || (mode & OTHERS) === 0) return { open: 'nobody', mode }
  return { open: (mode & OTHERS) === GROUP_READS && isOwnGroup(gid) ? 'group' : 'others', mode }
}

/** Refuses a secret file that other users may read or change. @throws CommandError with the command that mends it */
export const requirePrivateFile = (path: string): void => {
  const { open, mode } = accessOf(path)
  if (open === 'nobody') return
  const shown = mode.toString(8).padStart(4, '0')
  if (open === 'others')
    throw new CommandError(
      'KEY_FILE',
      `Other users of this machine may read or change ${path} (its mode is ${mode.toString(8)}). Run: chmod 600 ${path} (or start with --unsafe-key-permissions)`,
    )
  logOf('node').warn(
    'The group of {path} may read it (its mode is {mode}): each member of that group can act with this secret',
    { path, mode: shown },
  )
}
