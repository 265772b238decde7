import { describe, expect, setDefaultTimeout, test } from 'bun:test'
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { exportedFiles } from './exports.ts'
import { codeOf, FOLDERS, importsOf, ROOT, sourceFiles } from './source.ts'

/** Reads and parses all sources, beside other work. */
setDefaultTimeout(60_000)

/** A file keeps one idea; longer ones hold several. */
const LINES_MAX = 400

/** A folder of the product holds one subject; more files are several. */
const FOLDER_FILES_MAX = 22

/** Where the product begins: programs, and what the package exports. */
const ENTRIES: ReadonlySet<string> = new Set([
  'runtime/main.ts',
  'runtime/packaging/binary.ts',
  'runtime/packaging/build.ts',
  'handlers/explorer/app/main.tsx',
  // Named by wrangler.toml, and the types of its platform.
  'runtime/workers/main.ts',
  'runtime/workers/postgresql.ts',
  'runtime/workers/noGraphiql.ts',
  'runtime/workers/platform.d.ts',
  'runtime/workers/writeModules.ts',
  ...exportedFiles().map(({ source }) => source),
])

/** What Workers ask for: the entry is a default export, and so is a module of WebAssembly. */
const WITH_DEFAULT_EXPORT: ReadonlySet<string> = new Set([
  'runtime/workers/main.ts',
  'runtime/workers/postgresql.ts',
  'runtime/workers/platform.d.ts',
])

const files = sourceFiles(...FOLDERS)
const product = sourceFiles('core', 'handlers', 'p2p', 'runtime')

/** The texts that people read, and everything that is run. */
const documents = ['README.md', 'package.json', '.ci/run', ...files.map(({ path }) => path)].filter(path =>
  existsSync(join(ROOT, path)),
)

/** Written in parts, so that this file does not hold what it looks for. */
const UNWANTED: readonly (readonly [what: string, pattern: RegExp])[] = [
  ['a path of somebody’s machine', new RegExp(['/wo', 'rk/|/tm', 'p/|/ho', 'me/|/Use', 'rs/'].join(''))],
  [
    'work left undone',
    new RegExp(`\\b(?:${['TO', 'FIX', 'XX'].map((half, i) => half + ['DO', 'ME', 'X'][i]).join('|')})\\b`),
  ],
  ['a host of a package registry', new RegExp(['registry', 'npmjs|jsr\\.', 'io'].join('\\.'))],
]

describe('given every source file', () => {
  test(`when it is read, then it has at most ${LINES_MAX} lines`, () => {
    const long = files
      .map(({ path, text }) => [path, text.split('\n').length - 1] as const)
      .filter(([, lines]) => lines > LINES_MAX)
    expect(long).toEqual([])
  })

  test(`when it is part of the product, then its folder has at most ${FOLDER_FILES_MAX} files`, () => {
    const folders = Map.groupBy(product, ({ path }) => dirname(path))
    const crowds = [...folders].filter(([, inside]) => inside.length > FOLDER_FILES_MAX)
    expect(crowds.map(([folder, inside]) => `${folder}: ${inside.length} files`)).toEqual([])
  })

  test('when it is read, then it has no default export', () => {
    expect(
      files
        .filter(
          ({ path, text }) => !WITH_DEFAULT_EXPORT.has(path) && /\bexport\s+default\b/.test(codeOf(text)),
        )
        .map(({ path }) => path),
    ).toEqual([])
  })

  test('when it is read, then it has no enum and no class but errors', () => {
    const found = product.filter(({ text }) => {
      const code = codeOf(text)
      return (
        /\benum\s+\w+\s*\{/.test(code) ||
        /\bclass\s+\w+(?!\s+extends\s+\w*Error\b)\s*(?:extends\s+\w+\s*)?\{/.test(code)
      )
    })
    expect(found.map(({ path }) => path)).toEqual([])
  })

  test('when it imports files, then by their whole name', () => {
    const wrong = files.flatMap(file =>
      importsOf(file)
        .filter(
          name => /^(?:core|handlers|p2p|runtime|test)\//.test(name) && !/\.(?:tsx?|json|wasm)$/.test(name),
        )
        .map(name => `${file.path} imports ${name}`),
    )
    expect(wrong).toEqual([])
  })

  test('when it is part of the product, then something imports it', () => {
    const named = new Set(product.flatMap(importsOf))
    const texts = product.map(({ text }) => text).join('\n')
    const unused = product.filter(({ path }) => {
      const name = path.split('/').at(-1) as string
      return !ENTRIES.has(path) && !named.has(path) && !texts.includes(`'./${name}'`)
    })
    expect(unused.map(({ path }) => path)).toEqual([])
  })

  test('when the product exports a value, then another file names it', () => {
    const filesWith = new Map<string, number>()
    for (const { text } of files)
      for (const word of new Set(text.match(/[\w$]+/g))) filesWith.set(word, (filesWith.get(word) ?? 0) + 1)
    const unused = product
      .filter(({ path }) => !ENTRIES.has(path))
      .flatMap(({ path, text }) =>
        [...text.matchAll(/^export (?:async )?(?:const|function\*?|class) ([\w$]+)/gm)]
          .filter(([, name]) => filesWith.get(name as string) === 1)
          .map(([, name]) => `${path} exports ${name}`),
      )
    expect(unused).toEqual([])
  })
})

describe('given every file that is read or run', () => {
  test.each(UNWANTED)('when it is read, then it has no %s', (_what, pattern) => {
    const found = documents.flatMap(path =>
      readFileSync(join(ROOT, path), 'utf8')
        .split('\n')
        .flatMap((line, index) => (pattern.test(line) ? [`${path}:${index + 1}: ${line.trim()}`] : [])),
    )
    expect(found).toEqual([])
  })
})

describe('given the packages of the project', () => {
  type Group = 'dependencies' | 'devDependencies' | 'optionalDependencies' | 'peerDependencies'
  const { dependencies, devDependencies, optionalDependencies, peerDependencies } = JSON.parse(
    readFileSync(join(ROOT, 'package.json'), 'utf8'),
  ) as Readonly<Record<Group, Readonly<Record<string, string>>>>
  const used = { ...dependencies, ...optionalDependencies, ...peerDependencies }

  test('when they are listed, then each is pinned to one version', () => {
    const loose = Object.entries({ ...used, ...devDependencies }).filter(
      ([, version]) => !/^\d+\.\d+\.\d+$/.test(version),
    )
    expect(loose).toEqual([])
  })

  test('when the product imports them, then they are dependencies, optional ones or peers, not development ones alone', () => {
    const names = new Set(
      product
        // The pages of the explorer are built into one file, which imports nothing.
        .filter(({ path }) => !path.startsWith('handlers/explorer/app/'))
        .flatMap(importsOf)
        .filter(
          name =>
            !/^(?:core|handlers|p2p|runtime|node:|bun(?::|$)|cloudflare:|dist\/workers\/|package\.json)/.test(
              name,
            ),
        )
        .map(name =>
          name
            .split('/')
            .slice(0, name.startsWith('@') ? 2 : 1)
            .join('/'),
        ),
    )
    expect([...names].filter(name => used[name] === undefined)).toEqual([])
  })

  test('when they are dependencies, then the product imports them', () => {
    const imported = product.flatMap(importsOf)
    const unused = Object.keys({ ...dependencies, ...peerDependencies }).filter(
      name => !imported.some(one => one === name || one.startsWith(`${name}/`)),
    )
    expect(unused).toEqual([])
  })
})
