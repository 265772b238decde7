import { closeSync, fsyncSync, mkdirSync, openSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { mkdir, open, rename, rm } from 'node:fs/promises'
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

const syncFolderAside = async (path: string): Promise<void> => {
  const folder = await open(path, 'r')
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}

/** As `writeFileAtomically`, off the main thread. Writes of the same path must follow one another. */
export const writeFileAtomicallyAside = async (path: string, content: string): Promise<void> => {
  const folder = dirname(path)
  const first = await mkdir(folder, { recursive: true })
  const temporary = `${path}.new`
  await rm(temporary, { force: true })
  const file = await open(temporary, 'wx', 0o644)
  try {
    await file.writeFile(content)
    await file.sync()
  } finally {
    await file.close()
  }
  await rename(temporary, path)
  await syncFolderAside(folder)
  // The folders that were made last when their parents do.
  if (first !== undefined)
    for (let made = folder; made.length >= first.length; made = dirname(made))
      await syncFolderAside(dirname(made))
}
