import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'bun:test'

const HERE = new URL('.', import.meta.url)
const RULES = new URL('../../../core/chain/rules/invalidBlock.ts', HERE)

test('given the rules of blocks, when the tests are read, then each rule is broken by one', () => {
  const declared = /export type RuleName =([\s\S]*?)\n\n/.exec(readFileSync(RULES, 'utf8'))?.[1] ?? ''
  const names = [...declared.matchAll(/\| ('[a-z-]+')/g)].map(([, name]) => name as string)
  const tests = readdirSync(HERE, { recursive: true })
    .map(String)
    .filter(file => file.endsWith('.test.ts'))
    .map(file => readFileSync(new URL(file, HERE), 'utf8'))
    .join('\n')
  expect(names.length).toBeGreaterThan(40)
  expect(names.filter(name => !tests.includes(name))).toEqual([])
})
