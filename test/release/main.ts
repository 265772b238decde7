import { createHash } from 'node:crypto'
import { copyFileSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'
import { withFolder } from '../runtime/folder.ts'
import { packIn } from '../runtime/packaging/packed.ts'
import { runProgram } from '../support/programs/runProgram.ts'

/** What production may install. */
const INSTALLED_MB_MAX = 100
/** Packages above this are listed. */
const LISTED_MB = 3

const output = process.argv[2]

const hashOf = (path: string): string => createHash('sha256').update(readFileSync(path)).digest('hex')

/** Bytes of the files below a folder. */
const sizeOf = (folder: string): number =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0)

const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(1)} MB`

/** Packs in two folders. @throws when the tarballs differ */
const packTwice = async (folder: string): Promise<string> => {
  const tarballs = await Promise.all(
    ['first', 'second'].map(name => {
      mkdirSync(join(folder, name))
      return packIn(join(folder, name))
    }),
  )
  const [first = '', second = ''] = tarballs
  if (hashOf(first) !== hashOf(second))
    throw new Error('two builds of the same sources gave different tarballs')
  console.log(`The tarball is reproducible: ${megabytes(statSync(first).size)}, SHA-256 ${hashOf(first)}`)
  return first
}

const listPackages = (modules: string): void => {
  const packages = readdirSync(modules)
    .filter(name => !name.startsWith('.'))
    .flatMap(name =>
      name.startsWith('@') ? readdirSync(join(modules, name)).map(own => join(name, own)) : [name],
    )
    .map(name => ({ name, bytes: sizeOf(join(modules, name)) }))
    .sort((a, b) => b.bytes - a.bytes)
  const total = packages.reduce((sum, { bytes }) => sum + bytes, 0)
  console.log(`Installed: ${packages.length} packages, ${megabytes(total)}`)
  for (const { name, bytes } of packages)
    if (bytes > LISTED_MB * 1e6) console.log(`  ${name}: ${megabytes(bytes)}`)
  if (total > INSTALLED_MB_MAX * 1e6) throw new Error(`the node installs more than ${INSTALLED_MB_MAX} MB`)
}

/** Checks a release: the tarball, what it installs, its SBOM (CycloneDX, kept in the folder given) and npm's audit. */
await withFolder(async folder => {
  const tarball = await packTwice(folder)
  const project = join(folder, 'project')
  mkdirSync(project)
  writeFileSync(join(project, 'package.json'), '{ "name": "release", "version": "1.0.0", "private": true }\n')
  await runProgram(['npm', 'install', '--omit=dev', '--no-fund', '--no-audit', tarball], project)
  listPackages(join(project, 'node_modules'))
  const sbom = await runProgram(['npm', 'sbom', '--omit=dev', '--sbom-format=cyclonedx'], project)
  const { components } = JSON.parse(sbom) as { readonly components: readonly unknown[] }
  console.log(`SBOM: ${components.length} components`)
  if (output !== undefined) {
    mkdirSync(output, { recursive: true })
    writeFileSync(join(output, 'sbom.cdx.json'), sbom)
    copyFileSync(tarball, join(output, 'quorate.tgz'))
  }
  console.log(await runProgram(['npm', 'audit', '--omit=dev'], project))
})
