import { describe, expect, setDefaultTimeout, test } from 'bun:test'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { exportedFiles } from './exports.ts'
import { codeOf, ROOT } from './source.ts'

/** Reads and parses all sources, beside other work. */
setDefaultTimeout(60_000)

const LINES_MAX = 40

/** What `wrangler` deploys, not an index: its default export is the Worker. */
const WORKER = 'runtime/workers/main.ts'

describe('given what package.json exports', () => {
  const files = exportedFiles()

  test('when each entry is looked up, then it is the index of a room or the Worker, with its types beside it', () => {
    const wrong = files.filter(
      ({ source, types }) =>
        !(source.endsWith('/index.ts') || source === WORKER) ||
        !existsSync(join(ROOT, source)) ||
        types !== `./dist/${source.replace(/\.ts$/, '.d.ts')}`,
    )
    expect(wrong).toEqual([])
  })

  test(`when an index is read, then it has under ${LINES_MAX} lines, and nothing but exports of other files`, () => {
    const indexes = files.filter(({ source }) => source !== WORKER)
    const wrong = indexes.filter(({ source }) => {
      const text = readFileSync(join(ROOT, source), 'utf8')
      const rest = codeOf(text)
        .replace(/export (?:type )?\{[^}]*\}\s*from\s*/g, '')
        .trim()
      return text.split('\n').length > LINES_MAX || rest !== ''
    })
    expect(wrong.map(({ source }) => source)).toEqual([])
  })

  test('when the sources are run, then the same names lead to the same files', () => {
    const { compilerOptions } = JSON.parse(readFileSync(join(ROOT, 'tsconfig.json'), 'utf8')) as {
      readonly compilerOptions: { readonly paths: Readonly<Record<string, readonly string[]>> }
    }
    const expected = files.map(({ name, source }) => [name.replace('.', 'quorate'), [`./${source}`]])
    expect(compilerOptions.paths).toEqual(Object.fromEntries(expected))
  })
})
