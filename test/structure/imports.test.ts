import { describe, expect, setDefaultTimeout, test } from 'bun:test'
import { circlesIn } from './circles.ts'
import { codeOf, importsOf, sourceFiles } from './source.ts'

/** Reads and parses all sources, beside other work. */
setDefaultTimeout(60_000)

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

/**
 * The folders of the EVM: an instruction may call a contract, which begins a frame, which runs the interpreter, which runs
 * instructions.
 */
const INTERTWINED: ReadonlySet<string> = new Set(['core/evm'])

const outside = (folders: readonly string[], imported: string): boolean =>
  !folders.some(folder => imported.startsWith(`${folder}/`))

const isRelative = (imported: string): boolean =>
  /^(core|handlers|p2p|runtime|test|package\.json)(\/|$)/.test(imported)

const withoutTypesOnly = (text: string): string =>
  text
    .split('\n')
    .filter(line => !TYPES_ONLY.test(line))
    .join('\n')

describe('given core', () => {
  const files = sourceFiles('core')

  test('when its imports are read, then they are its own and pure libraries', () => {
    const foreign = files.flatMap(file =>
      importsOf({ ...file, text: withoutTypesOnly(file.text) })
        .filter(imported =>
          isRelative(imported) ? outside(['core'], imported) : !PURE_LIBRARIES.test(imported),
        )
        .map(imported => `${file.path} imports ${imported}`),
    )
    expect(foreign).toEqual([])
  })

  test('when its code is read, then it uses no runtime, clock, randomness, timer, console or network', () => {
    const touched = files.flatMap(file => {
      const code = codeOf(file.text)
      return IMPURE.filter(([, pattern]) => pattern.test(code)).map(
        ([what, pattern]) => `${file.path} touches ${what}: ${pattern.exec(code)?.[0]}`,
      )
    })
    expect(touched).toEqual([])
  })
})

describe('given rooms whose imports point one way: runtime, then p2p and handlers, then core', () => {
  const allowed: readonly (readonly [folder: string, may: readonly string[]])[] = [
    ['handlers', ['handlers', 'core']],
    ['p2p', ['p2p', 'core']],
    ['runtime', ['runtime', 'p2p', 'handlers', 'core', 'package.json']],
  ]
  test.each(allowed)('when %s is read, then it imports only %p of this project', (folder, may) => {
    const wrong = sourceFiles(folder).flatMap(file =>
      importsOf(file)
        .filter(imported => isRelative(imported) && imported !== 'package.json' && outside(may, imported))
        .map(imported => `${file.path} imports ${imported}`),
    )
    expect(wrong).toEqual([])
  })

  test('when handlers are read, then they need no machine: nothing of node:*, Bun or Deno', () => {
    const wrong = sourceFiles('handlers').flatMap(file => [
      ...importsOf(file)
        .filter(imported => imported.startsWith('node:') || imported.startsWith('bun:'))
        .map(imported => `${file.path} imports ${imported}`),
      ...(/\b(?:Bun|Deno|process)\s*\./.test(codeOf(file.text)) ? [`${file.path} names a runtime`] : []),
    ])
    expect(wrong).toEqual([])
  })
})

describe('given the folders of one room', () => {
  test.each(['core', 'p2p', 'handlers', 'runtime'])(
    'when %s is read, then they form no circle, by value or by type',
    room => {
      expect(circlesIn(room, INTERTWINED)).toEqual([])
    },
  )
})

describe('given the reader of sources behind these rules', () => {
  test('when it reads code, then it drops comments and strings and keeps expressions in templates', () => {
    const text = 'a // Date\n/* Date */ b(\'Date\', "Date") + `Date ${c({ d: `${e}` })} Date` + f'
    expect(codeOf(text).replace(/\s+/g, ' ')).toBe('a b( , ) + c({ d: e }) + f')
  })

  test('when it reads imports, then it finds every form', () => {
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
