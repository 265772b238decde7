import type { FieldNode, GraphQLResolveInfo, SelectionSetNode } from 'graphql'

/**
 * Tells whether a query asks for such a field directly below the one that is being resolved, so that no more is read than it
 * asks for, and that at once. Directives are passed over: what they leave out may be read in vain.
 */
export const selectionOf = (isMeant: (field: string) => boolean): ((info: GraphQLResolveInfo) => boolean) => {
  /** Documents are kept between requests, so it is looked for once. */
  const known = new WeakMap<FieldNode, boolean>()

  const holds = ({ selections }: SelectionSetNode, info: GraphQLResolveInfo): boolean =>
    selections.some(node => {
      if (node.kind === 'Field') return isMeant(node.name.value)
      if (node.kind === 'InlineFragment') return holds(node.selectionSet, info)
      const fragment = info.fragments[node.name.value]
      return fragment !== undefined && holds(fragment.selectionSet, info)
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
