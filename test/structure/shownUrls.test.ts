import { expect, setDefaultTimeout, test } from 'bun:test'
import { sourceFiles } from './source.ts'

/** Reads and parses all sources, beside other work. */
setDefaultTimeout(60_000)

/** A sentence with a URL as it is: user, password and query may be secrets. */
const SENTENCE = /`[^`]* [^`]*\$\{(?:\w+\.)*(?:url|(?!shownUrl)\w+Url|href)\}[^`]*`/g

/** A value of the log with a URL as it is, by its name or by another one. */
const LOGGED = /\blog\??\.\w+\(\s*'[^']*\{url\}[^']*',\s*\{(?:(?!url: shownUrl\()[^{}])*\}/g

/** Addresses that the project itself made on this machine, and messages whose secrets are hidden where they are written. */
const ALLOWED: ReadonlySet<string> = new Set([
  'runtime/commands/services/network.ts',
  'runtime/setup/nextSteps.ts',
  'runtime/read/upstream.ts',
])

test('given all source files, when a message has a URL, then it is written for people', () => {
  const raw = sourceFiles('core', 'handlers', 'p2p', 'runtime')
    .filter(({ path }) => !path.startsWith('handlers/explorer/') && !ALLOWED.has(path))
    .flatMap(({ path, text }) =>
      [...text.matchAll(SENTENCE), ...text.matchAll(LOGGED)].map(
        ([found]) => `${path}: ${found.slice(0, 80)}`,
      ),
    )
  expect(raw).toEqual([])
})
