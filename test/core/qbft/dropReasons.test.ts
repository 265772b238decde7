import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'bun:test'

const HERE = new URL('.', import.meta.url)
const EFFECTS = new URL('../../../core/qbft/effect.ts', HERE)

test('given the reasons to drop a message, when the tests are read, then each reason is in one', () => {
  const declared = /export type DropReason =([\s\S]*?)\n\n/.exec(readFileSync(EFFECTS, 'utf8'))?.[1] ?? ''
  const reasons = [...declared.matchAll(/\| ('[a-z-]+')/g)].map(([, reason]) => reason as string)
  const tests = readdirSync(HERE, { recursive: true })
    .map(String)
    .filter(file => file.endsWith('.test.ts'))
    .map(file => readFileSync(new URL(file, HERE), 'utf8'))
    .join('\n')
  expect(reasons.length).toBeGreaterThan(15)
  expect(reasons.filter(reason => !tests.includes(reason))).toEqual([])
})
