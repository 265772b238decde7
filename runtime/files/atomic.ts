import { closeSync, fsyncSync, mkdirSync, openSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { mkdir, open, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'

/** Makes the entries of a folder durable: created and renamed files, and removed ones. */
export const syncFolder = (path: string): void => {
  const folder = openSync(path, 'r')
  try {
    fsyncSync(folder)
  } finally {
    closeSync(folder)
  }
}

const writeSynced = (path: string, content: string, mode: number): void => {
  const file = openSync(path, 'wx', mode)
  try {
    // Writes all bytes: a single write to an almost full disk may write a part without an error.
    writeFileSync(file, content)
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
}

/**
 * Writes a small file so that after a crash it exists completely or not at all: writes and syncs a temporary file beside it,
 * then renames it. A failure leaves no temporary file. Creates missing folders. `mode` is the permission of the file.
 */
export const writeFileAtomically = (path: string, content: string, mode = 0o644): void => {
  mkdirSync(dirname(path), { recursive: true })
  const temporary = `${path}.new`
  rmSync(temporary, { force: true })
  try {
    writeSynced(temporary, content, mode)
    renameSync(temporary, path)
  } catch (cause) {
    // It may be a part of a key.
    rmSync(temporary, { force: true })
    throw cause
  }
  syncFolder(dirname(path))
}

const syncFolderAsync = async (path: string): Promise<void> => {
  const folder = await open(path, 'r')
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}

const writeSyncedAsync = async (path: string, content: string): Promise<void> => {
  const file = await open(path, 'wx', 0o644)
  try {
    await file.writeFile(content)
    await file.sync()
  } finally {
    await file.close()
  }
}

/** As `writeFileAtomically`, without blocking the event loop. Writes of the same path must not overlap. */
export const writeFileAtomicallyAsync = async (path: string, content: string): Promise<void> => {
  const folder = dirname(path)
  const first = await mkdir(folder, { recursive: true })
  const temporary = `${path}.new`
  await rm(temporary, { force: true })
  try {
    await writeSyncedAsync(temporary, content)
    await rename(temporary, path)
  } catch (cause) {
    await rm(temporary, { force: true })
    throw cause
  }
  await syncFolderAsync(folder)
  // A created folder is durable when its parent is synced.
  if (first !== undefined)
    for (let made = folder; made.length >= first.length; made = dirname(made))
      await syncFolderAsync(dirname(made))
}
