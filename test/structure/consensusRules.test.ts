import { describe, expect, test } from 'bun:test'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from './source.ts'

const PAGE = 'core/qbft/RULES.md'
const ROWS = readFileSync(join(ROOT, PAGE), 'utf8')
  .split('\n')
  .filter(line => line.startsWith('| ') && !line.startsWith('| rule in Besu '))

type Named = { readonly file: string; readonly titles: readonly string[] }

/** The tests that a row names: each a link to a file, followed by words of titles in it. */
const testsOf = (row: string): readonly Named[] =>
  [...row.matchAll(/\]\(\.\.\/\.\.\/(test\/[^)]+)\):((?: “[^”]+”,?)+)/g)].map(
    ([, file = '', titles = '']) => ({
      file,
      titles: [...titles.matchAll(/“([^”]+)”/g)].map(([, title = '']) => title),
    }),
  )

const textOf = (file: string): string => {
  const path = join(ROOT, file)
  return existsSync(path) ? readFileSync(path, 'utf8').replaceAll("\\'", "'") : ''
}

describe('given the page of the consensus rules', () => {
  test('when a row is read, then it names a test', () => {
    expect(ROWS.length).toBeGreaterThan(50)
    expect(ROWS.filter(row => testsOf(row).length === 0)).toEqual([])
  })

  test('when a test is named, then its file has it', () => {
    const missing = ROWS.flatMap(testsOf).flatMap(({ file, titles }) => {
      const text = textOf(file)
      return titles.filter(title => !text.includes(title)).map(title => `${file}: ${title}`)
    })
    expect(missing).toEqual([])
  })
})
