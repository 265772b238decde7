import { mkdirSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import process from 'node:process'
import { fileURLToPath } from 'node:url'
import { fileUrls, PROGRAM_FILES } from './program.ts'

/** Builds the binaries: `bun runtime/packaging/binary.ts [FOLDER] [TARGET...]`. */

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const OUTPUT = resolve(process.argv[2] ?? join(ROOT, 'dist', 'bin'))

const TARGETS = { x64: 'bun-linux-x64', arm64: 'bun-linux-arm64' } as const

type Target = keyof typeof TARGETS

/** Where a binary for Linux finds the files that it embeds. */
const EMBEDDED = 'file:///$bunfs/root'

const buildBinary = async (target: Target): Promise<string> => {
  const outfile = join(OUTPUT, `quorate-linux-${target}`)
  const { success, logs } = await Bun.build({
    entrypoints: PROGRAM_FILES.map(path => join(ROOT, path)),
    root: ROOT,
    target: 'bun',
    minify: { whitespace: true, syntax: true },
    plugins: [fileUrls(ROOT, entry => `new URL('${EMBEDDED}/${entry}')`)],
    // Most of the time to the first answer went into compiling the program. For another architecture it cannot be tried here.
    ...(target === process.arch ? { bytecode: true, format: 'esm' } : {}),
    compile: { target: TARGETS[target], outfile },
  })
  if (!success) throw new AggregateError(logs, `the binary for ${target} was not built`)
  return outfile
}

const isTarget = (name: string): name is Target => Object.hasOwn(TARGETS, name)

const asked = process.argv.slice(3)
for (const name of asked) if (!isTarget(name)) throw new Error(`unknown target ${name}: give x64 or arm64`)
mkdirSync(OUTPUT, { recursive: true })
for (const target of asked.length === 0 ? (['x64', 'arm64'] as const) : asked.filter(isTarget)) {
  const path = await buildBinary(target)
  const note = target === process.arch ? '' : ' (cross-compiled, not started here)'
  process.stdout.write(`${path}: ${(statSync(path).size / 1e6).toFixed(0)} MB${note}\n`)
}
