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

/** The reason for which a literal does not match its type; `path` leads to it within the argument. */
type Mismatch = { readonly path: string; readonly value: ValueNode; readonly why: string }

const mismatchOfObject = (
  node: ObjectValueNode,
  type: Extract<GraphQLInputType, { getFields: unknown }>,
  path: string,
): Mismatch | undefined => {
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
    const mismatch = mismatchOf(value, field.type, `${path}.${name.value}`)
    if (mismatch !== undefined) return mismatch
  }
  return undefined
}

const mismatchOf = (node: ValueNode, type: GraphQLInputType, path: string): Mismatch | undefined => {
  if (node.kind === Kind.NULL)
    return isNonNullType(type) ? { path, value: node, why: 'must not be null' } : undefined
  if (node.kind === Kind.VARIABLE) return undefined
  if (isNonNullType(type)) return mismatchOf(node, type.ofType, path)
  if (isListType(type)) {
    if (node.kind !== Kind.LIST) return mismatchOf(node, type.ofType, path)
    for (const [index, value] of node.values.entries()) {
      const mismatch = mismatchOf(value, type.ofType, `${path}[${index}]`)
      if (mismatch !== undefined) return mismatch
    }
    return undefined
  }
  if (isInputObjectType(type))
    return node.kind === Kind.OBJECT
      ? mismatchOfObject(node, type, path)
      : { path, value: node, why: 'must be an object type' }
  if (!isLeafType(type)) return undefined
  const reason = (text: string): Mismatch => ({
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

/** Besu's text for an argument literal that does not match its type; undefined where it matches. */
export const argumentMismatch = (
  { name, value }: ArgumentNode,
  type: GraphQLInputType,
): string | undefined => {
  const mismatch = mismatchOf(value, type, name.value)
  return mismatch === undefined
    ? undefined
    : `argument '${mismatch.path}' with value '${valueText(mismatch.value)}' ${mismatch.why}`
}

/** True when the default of a variable matches its type. */
export const fits = (value: ValueNode, type: GraphQLInputType): boolean =>
  mismatchOf(value, type, '') === undefined
