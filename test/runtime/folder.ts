import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Runs with a folder of its own, removed afterwards. */
export const withFolder = async <T>(run: (folder: string) => Promise<T> | T): Promise<T> => {
  const folder = mkdtempSync(join(tmpdir(), 'quorate-'))
  try {
    return await run(folder)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
