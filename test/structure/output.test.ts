import { expect, setDefaultTimeout, test } from 'bun:test'
import { codeOf, sourceFiles } from './source.ts'

/** Reads and parses all sources, beside other work. */
setDefaultTimeout(60_000)

/** Writes to a terminal or to the log of a Worker: foreign text must be escaped there. */
const WRITE = /\b(?:console\.(?:log|info|warn|error|debug)|(?:stdout|stderr)\.write)\(/g

/** The files that write, with the reason why no foreign text passes unescaped. */
const ALLOWED: Readonly<Record<string, string>> = {
  'runtime/cli/terminal/readSecret.ts': 'its own prompt',
  'runtime/cli/terminal/terminal.ts': 'escapes everything',
  'runtime/commands/blocks/blocksExport.ts': 'bars of progress',
  'runtime/commands/blocks/blocksImport.ts': 'bars of progress',
  'runtime/commands/services/node.ts': 'bars of progress',
  'runtime/commands/snapshot/create.ts': 'bars of progress',
  'runtime/commands/snapshot/createOnNode.ts': 'bars of progress',
  'runtime/commands/snapshot/restore.ts': 'bars of progress',
  'runtime/commands/storage/check.ts': 'bars of progress',
  'runtime/main.ts': 'a sentence of its own',
  'runtime/packaging/binary.ts': 'sizes of its own files',
  'runtime/packaging/explorer.ts': 'sizes of its own files',
  'runtime/workers/report.ts': 'escapes everything',
}

test('given all source files, when they write to a terminal, then it is where foreign text is escaped', () => {
  const writers = sourceFiles('core', 'handlers', 'p2p', 'runtime')
    .filter(({ path }) => !path.startsWith('handlers/explorer/'))
    .filter(({ text }) => codeOf(text).match(WRITE) !== null)
    .map(({ path }) => path)
  expect(writers).toEqual(Object.keys(ALLOWED))
})
