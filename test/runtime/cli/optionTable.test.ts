import { expect, test } from 'bun:test'
import { NODE_OPTIONS } from '../../../runtime/cli/nodeOptions.ts'
import { BESU_OPTIONS } from '../../../runtime/cli/besu/besuOptions.ts'
import { sourceFiles } from '../../structure/source.ts'

/** Everything but the tables themselves. */
const code = sourceFiles('runtime')
  .filter(({ path }) => !path.startsWith('runtime/cli/options/'))
  .map(({ text }) => text)
  .join('\n')

test('given the options of a node, then code reads each of them: none is accepted without effect', () => {
  expect(Object.keys(NODE_OPTIONS).filter(key => !new RegExp(`\\b${key}\\b`).test(code))).toEqual([])
})

test('given the options of a node, then none of them is judged as one of Besu alone, too', () => {
  const names = Object.values(NODE_OPTIONS).flatMap(({ name, aliases }) => [name, ...aliases])
  expect(names.filter(name => BESU_OPTIONS.has(name))).toEqual([])
})
