import type { FieldNode, GraphQLResolveInfo, SelectionSetNode } from 'graphql'

/**
 * Tells whether a query asks for such a field directly below the one that is being resolved, so that no more is read than it
 * asks for, and that at once. Directives are passed over: what they leave out may be read in vain.
 */
export const selectionOf = (isMeant: (field: string) => boolean): ((info: GraphQLResolveInfo) => boolean) => {
  /** Documents are kept between requests, so it is looked for once. */
  const known = new WeakMap<FieldNode, boolean>()

  /** @param seen fragments that need no second look: each may be spread by many others. */
  const holds = (
    { selections }: SelectionSetNode,
    info: GraphQLResolveInfo,
    seen = new Set<string>(),
  ): boolean =>
    selections.some(node => {
      if (node.kind === 'Field') return isMeant(node.name.value)
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
