import { describe, expect, test } from 'bun:test'
import { parseSync } from 'oxc-parser'
import { childrenOf, type Node } from './syntaxTree.ts'
import { sourceFiles } from './source.ts'

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

/** The titles of all tests below a node, each with those of the groups around it. */
const titlesIn = (node: Node, text: string, groups: string): readonly string[] => {
  if (node.type === 'CallExpression' && !isTitleless(node['callee'] as Node)) {
    const [title, body] = node['arguments'] as readonly Node[]
    const kind = rootOf(node['callee'] as Node)
    if (title !== undefined && body !== undefined && (kind === 'describe' || kind === 'test')) {
      const full = `${groups} ${text.slice(title.start, title['end'] as number)}`
      return kind === 'test' ? [full] : childrenOf(body).flatMap(child => titlesIn(child, text, full))
    }
  }
  return childrenOf(node).flatMap(child => titlesIn(child, text, groups))
}

const isSpecification = (title: string): boolean => /\b(?:given|when)\b/.test(title) && /\bthen\b/.test(title)

describe('given all tests', () => {
  test('when their titles are read with those of their groups, then each says given or when, and then', () => {
    const others = sourceFiles('test')
      .filter(({ path }) => path.endsWith('.test.ts'))
      .flatMap(({ path, text }) =>
        titlesIn(parseSync(path, text).program as unknown as Node, text, '')
          .filter(title => !isSpecification(title))
          .map(title => `${path}:${title}`),
      )
    expect(others).toEqual([])
  })
})
