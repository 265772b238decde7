import { parseSync } from 'oxc-parser'
import type { SourceFile } from './source.ts'
import { childrenOf, type Node } from './syntaxTree.ts'

/** A function whose inner functions share several of its reassignable variables. */
export type CapturingFunction = {
  readonly path: string
  readonly line: number
  /** The `let` variables of the function that its inner functions use. */
  readonly captured: readonly string[]
}

const isFunction = ({ type }: Node): boolean =>
  type === 'ArrowFunctionExpression' || type === 'FunctionExpression' || type === 'FunctionDeclaration'

/** The names that a declaration binds, destructuring included. */
const boundNames = (pattern: Node): readonly string[] => {
  if (pattern.type === 'Identifier') return [pattern['name'] as string]
  if (pattern.type === 'Property') return boundNames(pattern['value'] as Node)
  return childrenOf(pattern).flatMap(boundNames)
}

/** The `let` variables that belong to the function itself, without those of its inner functions. */
const letsOf = (node: Node): readonly string[] =>
  childrenOf(node).flatMap(child => {
    if (isFunction(child)) return []
    const declared =
      child.type === 'VariableDeclaration' && child['kind'] === 'let'
        ? (child['declarations'] as readonly Node[]).flatMap(({ id }) => boundNames(id as Node))
        : []
    return [...declared, ...letsOf(child)]
  })

const usedNames = (node: Node): readonly string[] => {
  if (node.type === 'Identifier') return [node['name'] as string]
  if (node.type === 'MemberExpression' && node['computed'] !== true) return usedNames(node['object'] as Node)
  if (node.type === 'Property' && node['computed'] !== true) return usedNames(node['value'] as Node)
  return childrenOf(node).flatMap(usedNames)
}

const innerFunctions = (node: Node): readonly Node[] =>
  childrenOf(node).flatMap(child => (isFunction(child) ? [child] : innerFunctions(child)))

const lineOf = (text: string, offset: number): number => text.slice(0, offset).split('\n').length

/** The functions of a file whose inner functions use more than `allowed` of their `let` variables. */
export const capturingFunctions = (
  { path, text }: SourceFile,
  allowed: number,
): readonly CapturingFunction[] => {
  const found: CapturingFunction[] = []
  const visit = (node: Node): void => {
    if (isFunction(node)) {
      const inner = innerFunctions(node)
      const used = new Set(inner.flatMap(usedNames))
      const captured = [...new Set(letsOf(node))].filter(name => used.has(name))
      if (captured.length > allowed) found.push({ path, line: lineOf(text, node.start), captured })
    }
    childrenOf(node).forEach(visit)
  }
  visit(parseSync(path, text).program as unknown as Node)
  return found
}
