import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import process from 'node:process'

const FOLDER = fileURLToPath(new URL('../../handlers/explorer', import.meta.url))

/** The built file. It is part of the repository, as the node runs from its sources without development packages. */
const BUNDLE = `${FOLDER}/bundle.ts`

const built = async (entry: string): Promise<string> => {
  const { outputs } = await Bun.build({
    entrypoints: [`${FOLDER}/app/${entry}`],
    target: 'browser',
    minify: true,
    define: { 'process.env.NODE_ENV': '"production"' },
  })
  const [output] = outputs
  if (output === undefined) throw new Error(`${entry} has no output`)
  return await output.text()
}

/** One string literal. JSON leaves the line separators of Unicode as they are, which strings allow since ES2019. */
const literal = (text: string): string => JSON.stringify(text)

/** The text of the built file from the sources in `app/`. */
const bundleText = async (): Promise<string> => {
  const [script, style] = await Promise.all([built('main.tsx'), built('style/main.css')])
  return `// Built from the sources in app/ by \`bun run explorer\`: change them, not this file.
export const SCRIPT = ${literal(script)}
export const STYLE = ${literal(style)}
`
}

/** Tests whether the built file is what its sources give. */
export const isBundleCurrent = async (): Promise<boolean> =>
  readFileSync(BUNDLE, 'utf8') === (await bundleText())

if (import.meta.main) {
  const text = await bundleText()
  writeFileSync(BUNDLE, text)
  const bytes = Bun.gzipSync(new TextEncoder().encode(text)).length
  process.stdout.write(`${BUNDLE}: ${text.length} characters, ${bytes} bytes with gzip\n`)
}
