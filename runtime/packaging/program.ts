import { existsSync, readFileSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'

/** The program, and the files of its threads: each is an entry of a bundle. */
export const PROGRAM_FILES: readonly string[] = [
  'runtime/main.ts',
  'runtime/threads/calls/worker.ts',
  'runtime/threads/network/worker.ts',
  'runtime/threads/passwords/passwordWorker.ts',
  'runtime/threads/recovery/worker.ts',
  'runtime/threads/replication/worker.ts',
]

/** The URL of such a file, which a bundle would resolve from its own place. */
const FILE_URL = /new URL\('(\.[^']*)\.ts', import\.meta\.url\)/g

/** Rewrites these URLs. @param urlOf gets the path of the built file below the root */
export const fileUrls = (root: string, urlOf: (entry: string) => string): Bun.BunPlugin => ({
  name: 'URLs of files',
  setup: build => {
    build.onLoad({ filter: /\/runtime\/(?:threads|devnet)\/.*\.ts$/ }, ({ path }) => ({
      loader: 'ts',
      contents: readFileSync(path, 'utf8').replace(FILE_URL, (_, file: string) =>
        urlOf(`${relative(root, resolve(path, '..', file))}.js`),
      ),
    }))
  },
})

/** Where the parts of the program are that several of its files load. */
const CHUNKS = 'runtime/program'

/**
 * Bundles the program over its compiled files, which are 900 at a start: most of the time to the first answer. Packages stay
 * outside. The other files remain for those who import them.
 */
export const bundleProgram = async (root: string, output: string): Promise<void> => {
  const { success, logs, outputs } = await Bun.build({
    entrypoints: PROGRAM_FILES.map(path => join(root, path)),
    root,
    outdir: output,
    target: 'node',
    packages: 'external',
    splitting: true,
    naming: { entry: '[dir]/[name].[ext]', chunk: `${CHUNKS}/[name]-[hash].[ext]` },
    minify: { whitespace: true, syntax: true },
    plugins: [fileUrls(root, entry => `new URL('${relative(CHUNKS, entry)}', import.meta.url)`)],
  })
  if (!success) throw new AggregateError(logs, 'the program was not bundled')
  for (const { path, kind } of outputs) {
    if (kind === 'chunk' || !existsSync(path)) continue
    if (readFileSync(path, 'utf8').includes('import.meta.url)'))
      throw new Error(`${path} would look for files in the folder of ${CHUNKS}`)
  }
}
