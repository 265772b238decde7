import type { FieldNode, GraphQLResolveInfo, SelectionSetNode } from 'graphql'

/**
 * Tests whether the query has such a field directly below the one being resolved, so that only requested parts are
 * read, all at once. Ignores directives: a field that they exclude may be read in vain.
 */
export const selectionOf = (matches: (field: string) => boolean): ((info: GraphQLResolveInfo) => boolean) => {
  /** Results by node: documents are cached between requests. */
  const known = new WeakMap<FieldNode, boolean>()

  /** @param seen fragments already visited, as several may spread the same one */
  const holds = (
    { selections }: SelectionSetNode,
    info: GraphQLResolveInfo,
    seen = new Set<string>(),
  ): boolean =>
    selections.some(node => {
      if (node.kind === 'Field') return matches(node.name.value)
      if (node.kind === 'InlineFragment') return holds(node.selectionSet, info, seen)
      const name = node.name.value
      const fragment = info.fragments[name]
      if (fragment === undefined || seen.has(name)) return false
      seen.add(name)
      return holds(fragment.selectionSet, info, seen)
    })

  return info =>
    info.fieldNodes.some(node => {
      let found = known.get(node)
      if (found === undefined) {
        found = node.selectionSet !== undefined && holds(node.selectionSet, info)
        known.set(node, found)
      }
      return found
    })
}
