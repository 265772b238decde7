import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { FOLDERS, ROOT } from '../structure/source.ts'

const FILES = ['package.json', 'bun.lock', 'bunfig.toml', 'tsconfig.json', 'README.md']

export type FreshCopy = {
  readonly folder: string
  /** For commands: the Bun of these tests stands first in PATH, and no variable of the machine is an option. */
  readonly environment: Readonly<Record<string, string>>
  remove(): void
}

/** A copy of the sources in a temporary folder, as somebody has it who has cloned the repository and installed the packages. */
export const freshCopy = (): FreshCopy => {
  const folder = mkdtempSync(join(tmpdir(), 'quorate-pages-'))
  for (const name of [...FOLDERS, ...FILES]) cpSync(join(ROOT, name), join(folder, name), { recursive: true })
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'))
  const programs = join(folder, 'programs')
  mkdirSync(programs)
  symlinkSync(process.execPath, join(programs, 'bun'))
  const kept = Object.entries(process.env).flatMap(([name, value]) =>
    value === undefined || /^(?:QUORATE|BESU|BUN_TEST)_/.test(name) ? [] : [[name, value]],
  )
  const environment = {
    ...Object.fromEntries(kept),
    NO_COLOR: '1',
    PATH: `${programs}:${process.env['PATH'] ?? ''}`,
  }
  return { folder, environment, remove: () => rmSync(folder, { recursive: true, force: true }) }
}
