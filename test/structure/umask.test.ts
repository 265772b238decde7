import { expect, test } from 'bun:test'
import { codeOf, sourceFiles } from './source.ts'

/** Files that change the umask of the process, or the mode of a file that exists. */
const ALLOWED: Readonly<Record<string, string>> = {
  'runtime/files/umask.ts': 'sets the umask',
  'runtime/packaging/build.ts': 'makes the built program executable',
}

test('given the sources, when they are read, then files and sockets have their mode from the beginning: the umask is set in one place, and no mode is changed later', () => {
  const found = sourceFiles('runtime')
    .filter(({ text }) => /\bumask\(|\bchmod(?:Sync)?\(|\bfchmod/.test(codeOf(text)))
    .map(({ path }) => path)
  expect(found.toSorted()).toEqual(Object.keys(ALLOWED).toSorted())
})

test('given the entry point of the program, when it is read, then it forbids foreign writes before it runs a command', () => {
  const main = sourceFiles('runtime').find(({ path }) => path === 'runtime/main.ts')?.text ?? ''
  const at = main.indexOf('\nforbidForeignWrites()')
  expect(at).toBeGreaterThan(0)
  expect(main.indexOf('await runCommandLine(')).toBeGreaterThan(at)
})
