import { closeSync, fsyncSync, mkdirSync, openSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'

const syncFolder = (path: string): void => {
  const folder = openSync(path, 'r')
  try {
    fsyncSync(folder)
  } finally {
    closeSync(folder)
  }
}

/**
 * Writes a whole small file so that after a crash it is there entirely or not at all: a temporary file beside it,
 * synced, then renamed. Makes missing folders. `mode` is the permission of the file.
 */
export const writeFileAtomically = (path: string, content: string, mode = 0o644): void => {
  mkdirSync(dirname(path), { recursive: true })
  const temporary = `${path}.new`
  rmSync(temporary, { force: true })
  const file = openSync(temporary, 'wx', mode)
  try {
    // All of it: one write of a disk that is getting full may take a part and call that success.
    writeFileSync(file, content)
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
  renameSync(temporary, path)
  syncFolder(dirname(path))
}
