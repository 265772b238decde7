import {
  type ArgumentNode,
  type GraphQLInputType,
  GraphQLError,
  isInputObjectType,
  isLeafType,
  isListType,
  isNonNullType,
  Kind,
  type ObjectValueNode,
  type ConstValueNode,
  type ValueNode,
} from 'graphql'
import { valueText } from './valueText.ts'

/** Why a literal does not fit; `path` leads to it within the argument. */
type Misfit = { readonly path: string; readonly value: ValueNode; readonly why: string }

const misfitOfObject = (
  node: ObjectValueNode,
  type: Extract<GraphQLInputType, { getFields: unknown }>,
  path: string,
): Misfit | undefined => {
  const given = new Set(node.fields.map(({ name }) => name.value))
  const missing = Object.values(type.getFields())
    .filter(({ type: fieldType, name }) => isNonNullType(fieldType) && !given.has(name))
    .map(({ name }) => name)
  if (missing.length > 0)
    return { path, value: node, why: `is missing required fields '[${missing.join(', ')}]'` }
  for (const { name, value } of node.fields) {
    const field = type.getFields()[name.value]
    if (field === undefined)
      return { path, value: node, why: `contains a field not in '${type.name}': '${name.value}'` }
    const misfit = misfitOf(value, field.type, `${path}.${name.value}`)
    if (misfit !== undefined) return misfit
  }
  return undefined
}

const misfitOf = (node: ValueNode, type: GraphQLInputType, path: string): Misfit | undefined => {
  if (node.kind === Kind.NULL)
    return isNonNullType(type) ? { path, value: node, why: 'must not be null' } : undefined
  if (node.kind === Kind.VARIABLE) return undefined
  if (isNonNullType(type)) return misfitOf(node, type.ofType, path)
  if (isListType(type)) {
    if (node.kind !== Kind.LIST) return misfitOf(node, type.ofType, path)
    for (const [index, value] of node.values.entries()) {
      const misfit = misfitOf(value, type.ofType, `${path}[${index}]`)
      if (misfit !== undefined) return misfit
    }
    return undefined
  }
  if (isInputObjectType(type))
    return node.kind === Kind.OBJECT
      ? misfitOfObject(node, type, path)
      : { path, value: node, why: 'must be an object type' }
  if (!isLeafType(type)) return undefined
  const reason = (text: string): Misfit => ({
    path,
    value: node,
    why: `is not a valid '${type.name}' - ${text}`,
  })
  try {
    const value = type.coerceInputLiteral?.(node as ConstValueNode)
    return value === undefined ? reason(`Expected type '${type.name}'`) : undefined
  } catch (error) {
    if (error instanceof GraphQLError) return reason(error.message)
    throw error
  }
}

/** Why the literal of an argument does not fit, in Besu's words; undefined where it does. */
export const argumentMisfit = ({ name, value }: ArgumentNode, type: GraphQLInputType): string | undefined => {
  const misfit = misfitOf(value, type, name.value)
  return misfit === undefined
    ? undefined
    : `argument '${misfit.path}' with value '${valueText(misfit.value)}' ${misfit.why}`
}

/** True where the default of a variable fits its type. */
export const fits = (value: ValueNode, type: GraphQLInputType): boolean =>
  misfitOf(value, type, '') === undefined
