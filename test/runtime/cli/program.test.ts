import { expect, test } from 'bun:test'
import { programOf } from '../../../runtime/cli/program.ts'

test.each([
  ['a checkout', 'file:///quorate/runtime/cli/program.ts', 'bun run node'],
  ['the installed package', 'file:///node_modules/quorate/dist/runtime/cli/program.js', 'quorate'],
  ['the compiled binary', 'file:///$bunfs/root/runtime/main.js', 'quorate'],
  ['the compiled binary', 'file:///$bunfs/root/runtime/cli/program.ts', 'quorate'],
])('given %s, then help and examples name the program as typed there', (_, moduleUrl, name) => {
  expect(programOf(moduleUrl)).toBe(name)
})
