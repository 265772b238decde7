import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { runProgram } from '../../support/programs/runProgram.ts'
import { ROOT } from '../nodeProcess.ts'

/** Builds and packs what is published, without touching the checkout. Gives the path of the tarball. */
export const packIn = async (folder: string): Promise<string> => {
  const source = join(folder, 'source')
  mkdirSync(source)
  for (const file of ['package.json', 'README.md', 'LICENSE']) cpSync(join(ROOT, file), join(source, file))
  await runProgram([process.execPath, join(ROOT, 'runtime/packaging/build.ts'), join(source, 'dist')], ROOT)
  // What it would run has been run.
  await runProgram(['npm', 'pack', '--ignore-scripts', '--pack-destination', folder], source)
  const { name, version } = JSON.parse(readFileSync(join(source, 'package.json'), 'utf8')) as {
    readonly name: string
    readonly version: string
  }
  return join(folder, `${name}-${version}.tgz`)
}

/** Installs the tarball into an empty folder, with packages that the checkout has installed before where they are the same. */
export const installIn = async (folder: string, tarball: string): Promise<string> => {
  const project = join(folder, 'project')
  mkdirSync(project)
  writeFileSync(join(project, 'package.json'), '{ "type": "module", "private": true }\n')
  await runProgram([process.execPath, 'add', '--prefer-offline', tarball], project)
  return project
}
