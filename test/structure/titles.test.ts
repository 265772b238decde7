import { describe, expect, setDefaultTimeout, test } from 'bun:test'
import { parseSync } from 'oxc-parser'
import { childrenOf, type Node } from './syntaxTree.ts'
import { sourceFiles } from './source.ts'

/** Reads and parses all sources, beside other work. */
setDefaultTimeout(60_000)

/** Functions whose call has no title of its own: what they return takes the title. */
const TITLELESS: ReadonlySet<string> = new Set(['each', 'if', 'skipIf', 'todoIf'])

/** The identifier that a call such as `test.each(rows)('title', body)` begins with. */
const rootOf = (callee: Node): string | undefined => {
  let node = callee
  while (node.type === 'CallExpression' || node.type === 'MemberExpression')
    node = (node.type === 'CallExpression' ? node['callee'] : node['object']) as Node
  return node.type === 'Identifier' ? (node['name'] as string) : undefined
}

const isTitleless = (callee: Node): boolean =>
  callee.type === 'MemberExpression' && TITLELESS.has((callee['property'] as Node)['name'] as string)

/** Functions that define a group of tests, and those that define one test: bun:test's, and those of support/scenario.ts. */
const GROUPS: ReadonlySet<string> = new Set(['describe', 'scenario'])
const TESTS: ReadonlySet<string> = new Set(['test', 'independent'])

type Title = { readonly groups: string; readonly own: string }

/** The titles of all tests below a node, each with those of the groups around it. */
const titlesIn = (node: Node, text: string, groups: string): readonly Title[] => {
  if (node.type === 'CallExpression' && !isTitleless(node['callee'] as Node)) {
    const [title, body] = node['arguments'] as readonly Node[]
    const kind = rootOf(node['callee'] as Node) ?? ''
    if (title !== undefined && body !== undefined && (GROUPS.has(kind) || TESTS.has(kind))) {
      const own = text.slice(title.start, title['end'] as number)
      if (TESTS.has(kind)) return [{ groups, own }]
      return childrenOf(body).flatMap(child => titlesIn(child, text, `${groups} ${own}`))
    }
  }
  return childrenOf(node).flatMap(child => titlesIn(child, text, groups))
}

/** True where the test itself says what then holds, and it or a group says of what, or when. A title in a variable is not read. */
const isSpecification = ({ groups, own }: Title): boolean =>
  /^\w+$/.test(own) || (/\b(?:given|when)\b/.test(`${groups} ${own}`) && /\bthen\b,? \S/.test(own))

describe('given all tests', () => {
  test('when their titles are read with those of their groups, then each says given or when, and what then holds', () => {
    const others = sourceFiles('test').flatMap(({ path, text }) =>
      titlesIn(parseSync(path, text).program as unknown as Node, text, '')
        .filter(title => !isSpecification(title))
        .map(({ groups, own }) => `${path}:${groups} ${own}`),
    )
    expect(others).toEqual([])
  })
})
