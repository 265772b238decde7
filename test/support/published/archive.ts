import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sharedPath } from './shared.ts'

export type ArchiveFolder = 'GeneralStateTests' | 'RLPTests' | 'TransactionTests' | 'TrieTests'

/**
 * One folder of the published ethereum-tests archive, unpacked once into the temp folder of the machine and kept there
 * for the next run; undefined where the archive is absent. A change of the archive's size or time makes a new folder.
 */
export const archiveFolder = (name: ArchiveFolder): string | undefined => {
  const archive = sharedPath('vectors/ethereum-tests.tar.xz')
  if (archive === undefined) return undefined
  const { size, mtimeMs } = statSync(archive)
  const base = join(tmpdir(), `quorate-vectors-${size}-${Math.trunc(mtimeMs)}`)
  const folder = join(base, name)
  if (existsSync(folder)) return folder
  mkdirSync(base, { recursive: true })
  // Unpacked aside and renamed, so that a run cut short or two runs at once never leave half a folder.
  const partial = mkdtempSync(join(base, '.partial-'))
  try {
    execFileSync('tar', ['-xJf', archive, '-C', partial, name])
    renameSync(join(partial, name), folder)
  } catch (error) {
    if (!existsSync(folder)) throw error
  } finally {
    rmSync(partial, { recursive: true, force: true })
  }
  return folder
}
