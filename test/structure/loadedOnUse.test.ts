import { expect, setDefaultTimeout, test } from 'bun:test'
import { posix } from 'node:path'
import { sourceFiles } from './source.ts'

/** Reads and parses all sources, beside other work. */
setDefaultTimeout(60_000)

/** What the command of the node loads when it starts, whatever its options. */
const START = 'runtime/commands/services/node.ts'

/** What a validator without further options does without: loading these took 8 ms of CPU, and more for GraphQL and libp2p. */
const ON_USE = [
  /^handlers\/graphql\/app\.ts$/,
  /^p2p\/(?:startNetwork|devp2p\/startDevp2p)\.ts$/,
  /^runtime\/auth\/modes\.ts$/,
  /^runtime\/drivers\/(?:http|postgresql|redis|s3)\.ts$/,
  /^runtime\/node\/development\/(?:chains|consensus|miner|open)\.ts$/,
  /^runtime\/node\/servers\/(?:ipcServer|wsServer)\.ts$/,
  /^runtime\/(?:replicate\/replication|threads\/replication\/thread)\.ts$/,
]

const STATIC_IMPORT = /(?:^|\n)(?:import|export)\s(?!type\b)[^'"]*?from\s+'(\.[^']+)'/g

const loadedBy = (start: string): ReadonlySet<string> => {
  const texts = new Map(
    sourceFiles('core', 'handlers', 'p2p', 'runtime').map(({ path, text }) => [path, text]),
  )
  const loaded = new Set<string>()
  const waiting = [start]
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    const text = texts.get(path)
    if (text === undefined || loaded.has(path)) continue
    loaded.add(path)
    for (const [, imported] of text.matchAll(STATIC_IMPORT))
      waiting.push(posix.join(posix.dirname(path), imported as string))
  }
  return loaded
}

test('given the start of a node, when its imports are followed, then what few nodes need is loaded on use', () => {
  const loaded = [...loadedBy(START)]
  expect(loaded.length).toBeGreaterThan(300)
  expect(loaded.filter(path => ON_USE.some(pattern => pattern.test(path)))).toEqual([])
})
