import { describe, expect, test } from 'bun:test'
import { circlesIn } from './circles.ts'
import { codeOf, importsOf, sourceFiles } from './source.ts'

/** Libraries without I/O, clock, randomness of their own or anything of a runtime. */
const PURE_LIBRARIES = /^(@noble\/(curves|hashes|ciphers)|micro-eth-signer)(\/|$)/

/** Libraries of which core knows the types alone: whoever runs it brings them. */
const TYPES_ONLY = /^import type [^'"]* from '(unstorage)'$/

/** What would make the result of core depend on the machine it runs on. */
const IMPURE: readonly (readonly [what: string, pattern: RegExp])[] = [
  ['a runtime', /\b(?:Bun|Deno|process|Buffer|require|globalThis|window|self)\b(?!\s*[:?])/],
  ['the clock', /\bDate\b|\bperformance\b|\bTemporal\b/],
  ['randomness', /\bMath\s*\.\s*random\b|\bgetRandomValues\b|\brandomUUID\b|\bcrypto\s*\.\s*subtle\b/],
  ['a timer', /\b(?:setTimeout|setInterval|setImmediate|queueMicrotask)\b/],
  ['the console', /\bconsole\b/],
  ['the network', /\bWebSocket\b|\bXMLHttpRequest\b|\bEventSource\b/],
]

const outside = (folders: readonly string[], imported: string): boolean =>
  !folders.some(folder => imported.startsWith(`${folder}/`))

const isRelative = (imported: string): boolean =>
  /^(core|handlers|p2p|runtime|test|package\.json)(\/|$)/.test(imported)

const withoutTypesOnly = (text: string): string =>
  text
    .split('\n')
    .filter(line => !TYPES_ONLY.test(line))
    .join('\n')

describe('core', () => {
  const files = sourceFiles('core')

  test('imports nothing but itself and pure libraries', () => {
    const foreign = files.flatMap(file =>
      importsOf({ ...file, text: withoutTypesOnly(file.text) })
        .filter(imported =>
          isRelative(imported) ? outside(['core'], imported) : !PURE_LIBRARIES.test(imported),
        )
        .map(imported => `${file.path} imports ${imported}`),
    )
    expect(foreign).toEqual([])
  })

  test('touches no runtime, clock, randomness, timer, console or network', () => {
    const touched = files.flatMap(file => {
      const code = codeOf(file.text)
      return IMPURE.filter(([, pattern]) => pattern.test(code)).map(
        ([what, pattern]) => `${file.path} touches ${what}: ${pattern.exec(code)?.[0]}`,
      )
    })
    expect(touched).toEqual([])
  })
})

describe('imports point one way: runtime, then p2p and handlers, then core', () => {
  const allowed: readonly (readonly [folder: string, may: readonly string[]])[] = [
    ['handlers', ['handlers', 'core']],
    ['p2p', ['p2p', 'core']],
    ['runtime', ['runtime', 'p2p', 'handlers', 'core', 'package.json']],
  ]
  test.each(allowed)('%s imports only %p of this project', (folder, may) => {
    const wrong = sourceFiles(folder).flatMap(file =>
      importsOf(file)
        .filter(imported => isRelative(imported) && imported !== 'package.json' && outside(may, imported))
        .map(imported => `${file.path} imports ${imported}`),
    )
    expect(wrong).toEqual([])
  })

  test('handlers need no machine: nothing of node:*, Bun or Deno', () => {
    const wrong = sourceFiles('handlers').flatMap(file => [
      ...importsOf(file)
        .filter(imported => imported.startsWith('node:') || imported.startsWith('bun:'))
        .map(imported => `${file.path} imports ${imported}`),
      ...(/\b(?:Bun|Deno|process)\s*\./.test(codeOf(file.text)) ? [`${file.path} names a runtime`] : []),
    ])
    expect(wrong).toEqual([])
  })
})

describe('folders of one room', () => {
  test.each(['core', 'p2p', 'handlers', 'runtime'])('%s: no circle, by value or by type', room => {
    expect(circlesIn(room)).toEqual([])
  })
})

describe('the reader of source that these rules stand on', () => {
  test('drops comments and strings and keeps what templates compute', () => {
    const text = 'a // Date\n/* Date */ b(\'Date\', "Date") + `Date ${c({ d: `${e}` })} Date` + f'
    expect(codeOf(text).replace(/\s+/g, ' ')).toBe('a b( , ) + c({ d: e }) + f')
  })

  test('finds every form of import', () => {
    const text =
      "import a from 'x'\nimport {\n b\n} from './b.ts'\nexport * from '../c.ts'\nawait import('./d.ts')\nimport 'y'"
    expect(importsOf({ path: 'core/q/z.ts', text })).toEqual([
      'x',
      'core/q/b.ts',
      'core/c.ts',
      'core/q/d.ts',
      'y',
    ])
  })
})
