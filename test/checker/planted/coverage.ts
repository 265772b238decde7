import { parseSync } from 'oxc-parser'
import { childrenOf, type Node } from '../../structure/syntaxTree.ts'

/** A place of the source that an execution takes or not. */
export type Branch = {
  readonly file: string
  readonly line: number
  readonly kind: 'function' | 'if' | 'else' | 'case' | 'choice' | 'right side'
  /** The beginning of its text. */
  readonly text: string
  /** How often it was taken. */
  count: number
}

export const branches: Branch[] = []

/** What the instrumented source calls. */
const COUNTER = 'countBranch'
Object.assign(globalThis, {
  [COUNTER]: (index: number): void => {
    ;(branches[index] as Branch).count++
  },
})

type Insertion = { readonly at: number; readonly text: string }

const TEXT_MAX = 70

const FUNCTIONS = /^(?:ArrowFunctionExpression|FunctionExpression|FunctionDeclaration)$/

/** The branches that begin at one node: each with the node that it runs. */
const branchesAt = (node: Node): readonly (readonly [kind: Branch['kind'], body: Node])[] => {
  const part = (name: string): Node | undefined => (node[name] ?? undefined) as Node | undefined
  const found = (kind: Branch['kind'], body: Node | undefined) =>
    body === undefined ? [] : [[kind, body] as const]
  if (FUNCTIONS.test(node.type)) return found('function', part('body'))
  switch (node.type) {
    case 'IfStatement':
      return [...found('if', part('consequent')), ...found('else', part('alternate'))]
    case 'ConditionalExpression':
      return [...found('choice', part('consequent')), ...found('choice', part('alternate'))]
    case 'LogicalExpression':
      return found('right side', part('right'))
    case 'SwitchCase':
      return found('case', (node['consequent'] as readonly Node[])[0])
    default:
      return []
  }
}

const insertionsFor = (body: Node, index: number, isCase: boolean): readonly Insertion[] => {
  const call = `${COUNTER}(${index})`
  const end = body['end'] as number
  if (isCase) return [{ at: body.start, text: `${call};` }]
  if (body.type === 'BlockStatement' || body.type === 'FunctionBody')
    return [{ at: body.start + 1, text: `${call};` }]
  const isStatement = /Statement$|Declaration$/.test(body.type)
  return isStatement
    ? [
        { at: body.start, text: `{${call};` },
        { at: end, text: '}' },
      ]
    : [
        { at: body.start, text: `(${call},` },
        { at: end, text: ')' },
      ]
}

/** The source with a counter in each branch. */
export const instrumented = (file: string, source: string): string => {
  const insertions: Insertion[] = []
  const visit = (node: Node): void => {
    // Types have no branches.
    if (node.type.startsWith('TSType') || node.type.startsWith('TSInterface')) return
    for (const [kind, body] of branchesAt(node)) {
      const text = source.slice(body.start, body.start + TEXT_MAX).split('\n')[0] as string
      const line = source.slice(0, body.start).split('\n').length
      insertions.push(...insertionsFor(body, branches.length, kind === 'case'))
      branches.push({ file, line, kind, text, count: 0 })
    }
    childrenOf(node).forEach(visit)
  }
  visit(parseSync(file, source).program as unknown as Node)
  // Of insertions at one place, what closes an inner node comes before what closes an outer one.
  const ordered = insertions
    .map((insertion, index) => ({ ...insertion, index }))
    .toSorted(
      (one, other) =>
        other.at - one.at ||
        (one.text.startsWith(')') || one.text === '}' ? one.index - other.index : other.index - one.index),
    )
  return ordered.reduce((text, { at, text: added }) => text.slice(0, at) + added + text.slice(at), source)
}

/** Rules are what decides about a message or an input; encodings and texts are not. */
const isRule = ({ file }: Branch): boolean =>
  /core\/(?:qbft\/(?:actions|handle|restart|rules|[^/]+\.ts)|validators)/.test(file) && !/[cC]odec/.test(file)

/** How many branches of the rules were taken, and those that were not. */
export const coverageText = (): string => {
  const rules = branches.filter(isRule)
  const missed = rules.filter(({ count }) => count === 0)
  return [
    `${rules.length - missed.length} of ${rules.length} branches of the rules were taken; not taken:`,
    ...missed.map(({ file, line, kind, text }) => `  ${file}:${line} ${kind}: ${text}`),
  ].join('\n')
}
