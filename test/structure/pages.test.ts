import { describe, expect, setDefaultTimeout, test } from 'bun:test'
import { existsSync, statSync } from 'node:fs'
import { dirname, join, posix } from 'node:path'
import { isKnownMethod } from '../../handlers/rpc/dispatch/knownMethods.ts'
import { METHODS } from '../../handlers/rpc/methods/methodTable.ts'
import { CONNECTION_METHODS } from '../../handlers/rpc/subscriptions/methods.ts'
import { COMMANDS, NODE_COMMAND } from '../../runtime/commands/commands.ts'
import { BESU_OPTIONS } from '../../runtime/cli/besu/besuOptions.ts'
import { anchorsOf, fencesOf, type Page, pages, proseOf } from './markdown.ts'
import { ROOT } from './source.ts'

/** Reads and parses all sources, beside other work. */
setDefaultTimeout(60_000)

const PAGES = pages()
const textOf = (path: string): string => (PAGES.find(page => page.path === path) as Page).text

/** The front page is read in minutes. */
const README_LINES_MAX = 250
const PICTURE_BYTES_MAX = 100_000

/** Blocks that no test runs: each is a command that a newcomer cannot trust. */
const NOT_RUN_MAX = 10

/** Options of programs other than the node: package managers, tests, simulation, checker, attacks and benchmarks. */
const OTHER_OPTIONS: ReadonlySet<string> = new Set(
  `yes frozen-lockfile production parallel no-isolate timeout silent header version seeds seed validators forgetting from help
   list only quick full minutes runtime omit json url dir env var file remote tag read-only volume legacy
   gas-price deep byzantine rounds replay plant early coverage`.split(/\s+/),
)

const optionNames: ReadonlySet<string> = new Set(
  [NODE_COMMAND, ...COMMANDS].flatMap(({ options }) =>
    Object.values(options).flatMap(({ name, aliases }) => [name, ...aliases]),
  ),
)

/** The targets of links and pictures, without those of other sites. */
const linksOf = (text: string): readonly string[] =>
  [...proseOf(text).matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, target]) => target as string)
    .filter(target => !/^[a-z]+:/.test(target))

const brokenLinksOf = ({ path, text }: Page): readonly string[] =>
  linksOf(text).filter(target => {
    const [file = '', anchor] = target.split('#')
    const linked = file === '' ? path : posix.join(dirname(path), file)
    if (!existsSync(join(ROOT, linked))) return true
    return anchor !== undefined && !anchorsOf(textOf(linked)).includes(anchor)
  })

describe('given the pages of the repository', () => {
  test('when a link is followed, then a file or a heading is there', () => {
    const broken = PAGES.flatMap(page => brokenLinksOf(page).map(target => `${page.path}: ${target}`))
    expect(broken).toEqual([])
  })

  test('when README.md is read, then it leads to every other page within two links', () => {
    const linkedFrom = (path: string): readonly string[] =>
      linksOf(textOf(path))
        .map(target => posix.join(dirname(path), target.split('#')[0] as string))
        .filter(target => target.endsWith('.md'))
    const near = linkedFrom('README.md')
    const reached = new Set(['README.md', ...near, ...near.flatMap(linkedFrom)])
    expect(PAGES.map(({ path }) => path).filter(path => !reached.has(path))).toEqual([])
  })

  test(`then README.md has fewer than ${README_LINES_MAX} lines, and its pictures are small`, () => {
    expect(textOf('README.md').split('\n').length).toBeLessThan(README_LINES_MAX)
    for (const target of linksOf(textOf('README.md')).filter(link => /\.(svg|png)$/.test(link)))
      expect(statSync(join(ROOT, target)).size).toBeLessThan(PICTURE_BYTES_MAX)
  })

  test('when an option is named, then it is one of the node, of its commands, or refused by name', () => {
    const unknown = PAGES.flatMap(({ path, text }) =>
      [...text.matchAll(/(?<=[\s`([{"]|^)--([A-Za-z][\w-]*)/gm)]
        .map(([, name]) => (name as string).replace(/-$/, ''))
        .filter(
          name =>
            !optionNames.has(name) &&
            !BESU_OPTIONS.has(name) &&
            !OTHER_OPTIONS.has(name) &&
            // The first half of several options, as in `--rpc-http-...`.
            ![...optionNames].some(option => option.startsWith(`${name}-`)),
        )
        .map(name => `${path}: --${name}`),
    )
    expect([...new Set(unknown)]).toEqual([])
  })

  test('when a method is not Besu’s, then handlers/README.md names it', () => {
    const page = textOf('handlers/README.md')
    const own = [...METHODS, ...CONNECTION_METHODS]
      .map(({ name }) => name)
      .filter(name => !isKnownMethod(name))
    expect(own.filter(name => !new RegExp(`\\b${name}\\b`).test(page))).toEqual([])
  })

  test('then every block names its language, `text` for plain text, and none is made by indentation', () => {
    const nameless = PAGES.flatMap(fencesOf).filter(({ language }) => language === '')
    expect(nameless.map(({ page, line }) => `${page}:${line}`)).toEqual([])
    const indented = PAGES.filter(({ text }) => /^ {4}\S/m.test(proseOf(text)))
    expect(indented.map(({ path }) => path)).toEqual([])
  })

  test(`when no test runs a block, then it says why, and at most ${NOT_RUN_MAX} do`, () => {
    const notRun = PAGES.flatMap(fencesOf).filter(fence => fence.notRun !== undefined)
    expect(notRun.length).toBeLessThanOrEqual(NOT_RUN_MAX)
  })
})
