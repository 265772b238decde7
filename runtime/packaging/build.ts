import { spawnSync } from 'node:child_process'
import { chmodSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import process from 'node:process'
import { fileURLToPath } from 'node:url'
import packageFile from '../../package.json' with { type: 'json' }
import { writeModules } from '../workers/writeModules.ts'
import { isBundleCurrent } from './explorer.ts'
import { bundleProgram } from './program.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
/** `dist`, or the folder in the first argument: a test builds outside the checkout. */
const OUTPUT = resolve(process.argv[2] ?? join(ROOT, 'dist'))

/** URLs of the files of worker threads and processes, which the compiler does not rewrite. */
const FILE_URL = /(new URL\('\.[^']*)\.ts(', import\.meta\.url\))/g

/** Relative imports in declarations, which the compiler does not rewrite. */
const DECLARED_IMPORT = /((?:\bfrom |\bimport\(|\bimport )['"]\.[^'"]*)\.ts(['"])/g

const rewrite = (path: string, pattern: RegExp): void => {
  const text = readFileSync(path, 'utf8')
  const rewritten = text.replace(pattern, '$1.js$2')
  if (rewritten !== text) writeFileSync(path, rewritten)
}

const compile = (): void => {
  const project = fileURLToPath(new URL('./tsconfig.json', import.meta.url))
  const compiler = join(ROOT, 'node_modules', '.bin', 'tsc')
  const { status, error } = spawnSync(compiler, ['--project', project, '--outDir', OUTPUT], {
    stdio: 'inherit',
  })
  if (error !== undefined) throw error
  if (status !== 0) process.exit(status ?? 1)
}

/** Writes the parts of package.json that the compiled files need: name, version and module type. */
const writePackageFile = (): void => {
  const { name, version, type } = packageFile
  writeFileSync(join(OUTPUT, 'package.json'), `${JSON.stringify({ name, version, type })}\n`)
}

if (!(await isBundleCurrent()))
  throw new Error('handlers/explorer/bundle.ts is not what its sources give: run `bun run explorer`')
rmSync(OUTPUT, { recursive: true, force: true })
compile()
for (const entry of readdirSync(OUTPUT, { recursive: true, withFileTypes: true })) {
  const path = join(entry.parentPath, entry.name)
  if (entry.name.endsWith('.d.ts')) rewrite(path, DECLARED_IMPORT)
  else if (entry.name.endsWith('.js')) rewrite(path, FILE_URL)
}
writePackageFile()
await bundleProgram(ROOT, OUTPUT)
writeModules(join(OUTPUT, 'runtime', 'workers'))
chmodSync(join(OUTPUT, 'runtime', 'main.js'), 0o755)
