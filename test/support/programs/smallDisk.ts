import { spawnSync } from 'node:child_process'
import { closeSync, mkdtempSync, openSync, rmSync, statSync, truncateSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A file system of its own, so small that a test can fill it. */
export type SmallDisk = {
  readonly path: string
  /** Takes all the room but for so many bytes, rounded to pages. */
  fill(leaving?: number): void
  makeRoom(): void
  remove(): void
}

const FILLER_STEPS = [256 * 1024, 4096, 1]

/** Undefined where this user may not mount one. */
export const createSmallDisk = (megabytes: number): SmallDisk | undefined => {
  const path = mkdtempSync(join(tmpdir(), 'quorate-disk-'))
  const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m`, 'tmpfs', path]).status === 0
  if (!mounted) {
    rmSync(path, { recursive: true, force: true })
    return undefined
  }
  const filler = join(path, 'filler')
  const fillBy = (file: number, bytes: number): void => {
    try {
      for (;;) writeSync(file, new Uint8Array(bytes))
    } catch {
      // The disk is full.
    }
  }
  return {
    path,
    fill: (leaving = 0) => {
      const file = openSync(filler, 'a')
      for (const bytes of FILLER_STEPS) fillBy(file, bytes)
      closeSync(file)
      truncateSync(filler, Math.max(0, statSync(filler).size - leaving))
    },
    makeRoom: () => rmSync(filler, { force: true }),
    remove: () => {
      spawnSync('umount', ['-l', path])
      rmSync(path, { recursive: true, force: true })
    },
  }
}
