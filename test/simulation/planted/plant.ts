import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { PlantedBug } from './bugs.ts'

const ROOT = fileURLToPath(new URL('../../../', import.meta.url))

/** What the simulation needs of the tree. */
const COPIED = [
  'core',
  'runtime/cli',
  'runtime/consensus',
  'runtime/logging',
  'runtime/text',
  'test/simulation',
  'test/support/chains/bareFields.ts',
  'test/support/signPayload.ts',
  'package.json',
]

/** A copy of the tree with the mistake in it. */
export type PlantedTree = { readonly main: string; remove(): void }

/** @throws when the text does not stand in the file exactly once */
export const plant = ({ name, file, text, instead }: PlantedBug): PlantedTree => {
  const folder = mkdtempSync(join(tmpdir(), 'quorate-planted-'))
  const remove = (): void => rmSync(folder, { recursive: true, force: true })
  try {
    for (const path of COPIED) cpSync(join(ROOT, path), join(folder, path), { recursive: true })
    symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'), 'dir')
    const source = readFileSync(join(folder, file), 'utf8')
    const places = source.split(text).length - 1
    if (places !== 1) throw new Error(`${name}: its place stands ${places} times in ${file}, not once`)
    writeFileSync(
      join(folder, file),
      source.replace(text, () => instead),
    )
  } catch (error) {
    remove()
    throw error
  }
  return { main: join(folder, 'test/simulation/main.ts'), remove }
}
