import {
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLCompositeType,
  type GraphQLSchema,
  getNamedType,
  isCompositeType,
  isInterfaceType,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
  type SelectionNode,
  type SelectionSetNode,
} from 'graphql'
import { DocumentError } from '../errors.ts'

/**
 * Complexity limit of a query for the schema alone. Such a query costs almost nothing, but the introspection query of
 * every tool exceeds Besu's limit. Applies only where the query selects the fields of types on one level.
 */
const SCHEMA_COMPLEXITY_MAX = 1_000

/** Maximum depth of fields: each level is one more step of the execution. Queries written by hand rarely have ten. */
const DEPTH_MAX = 32

/** Besu's cost of the fields that lead to another object with all its fields. */
const EXPENSIVE_COST = 100
const EXPENSIVE_FIELDS: ReadonlySet<string> = new Set(['Transaction.block', '__Type.fields'])

type Measure = {
  readonly cost: number
  readonly depth: number
  /** Nesting depth of requests for the fields of types. */
  readonly schemaDepth: number
}

const NOTHING: Measure = { cost: 0, depth: 0, schemaDepth: 0 }

type Variables = Readonly<Record<string, unknown>>

const conditionOf = (
  node: SelectionNode,
  directive: 'skip' | 'include',
  variables: Variables,
): boolean | undefined => {
  const value = node.directives?.find(({ name }) => name.value === directive)?.arguments?.[0]?.value
  if (value?.kind === Kind.BOOLEAN) return value.value
  if (value?.kind === Kind.VARIABLE) return variables[value.name.value] === true
  return undefined
}

const isSelected = (node: SelectionNode, variables: Variables): boolean =>
  conditionOf(node, 'skip', variables) !== true && conditionOf(node, 'include', variables) !== false

const fieldType = (
  schema: GraphQLSchema,
  parent: GraphQLCompositeType,
  name: string,
): GraphQLCompositeType | undefined => {
  const type =
    name === '__schema' || name === '__type'
      ? schema.getType(name === '__schema' ? '__Schema' : '__Type')
      : isObjectType(parent) || isInterfaceType(parent)
        ? getNamedType(parent.getFields()[name]?.type)
        : undefined
  return isCompositeType(type) ? type : undefined
}

/** Measures a validated document. Each fragment is measured once, so the time is linear in the document's length. */
const createMeter = (schema: GraphQLSchema, document: DocumentNode, variables: Variables) => {
  const fragments = new Map<string, FragmentDefinitionNode>()
  for (const definition of document.definitions)
    if (definition.kind === Kind.FRAGMENT_DEFINITION) fragments.set(definition.name.value, definition)
  const measured = new Map<string, Measure>()

  const measureField = (field: FieldNode, parent: GraphQLCompositeType): Measure => {
    const name = field.name.value
    if (name === '__typename') return { ...NOTHING, depth: 1 }
    const coordinate = `${parent.name}.${name}`
    const type = fieldType(schema, parent, name)
    const below =
      field.selectionSet === undefined || type === undefined ? NOTHING : measure(field.selectionSet, type)
    return {
      cost: (EXPENSIVE_FIELDS.has(coordinate) ? EXPENSIVE_COST : 1) + below.cost,
      depth: 1 + below.depth,
      schemaDepth: (coordinate === '__Type.fields' ? 1 : 0) + below.schemaDepth,
    }
  }

  const measureFragment = (name: string): Measure => {
    const before = measured.get(name)
    if (before !== undefined) return before
    const fragment = fragments.get(name)
    const type = schema.getType(fragment?.typeCondition.name.value ?? '')
    const whole =
      fragment === undefined || !isCompositeType(type) ? NOTHING : measure(fragment.selectionSet, type)
    measured.set(name, whole)
    return whole
  }

  const measureSelection = (node: SelectionNode, parent: GraphQLCompositeType): Measure => {
    if (node.kind === Kind.FIELD) return measureField(node, parent)
    if (node.kind === Kind.FRAGMENT_SPREAD) return measureFragment(node.name.value)
    const type = node.typeCondition === undefined ? parent : schema.getType(node.typeCondition.name.value)
    return isCompositeType(type) ? measure(node.selectionSet, type) : NOTHING
  }

  const measure = ({ selections }: SelectionSetNode, parent: GraphQLCompositeType): Measure => {
    let { cost, depth, schemaDepth } = NOTHING
    for (const selection of selections) {
      if (!isSelected(selection, variables)) continue
      const one = measureSelection(selection, parent)
      cost = Math.min(cost + one.cost, Number.MAX_SAFE_INTEGER)
      depth = Math.max(depth, one.depth)
      schemaDepth = Math.max(schemaDepth, one.schemaDepth)
    }
    return { cost, depth, schemaDepth }
  }

  return measure
}

/** Variables with their defaults: `@skip` and `@include` depend on both. */
const withDefaults = ({ variableDefinitions = [] }: OperationDefinitionNode, given: Variables): Variables =>
  Object.fromEntries(
    variableDefinitions.map(({ variable, defaultValue }) => {
      const value = given[variable.name.value]
      const isByDefault = value === undefined && defaultValue?.kind === Kind.BOOLEAN
      return [variable.name.value, isByDefault ? defaultValue.value : value]
    }),
  )

const asksForSchemaOnly = ({ selectionSet }: OperationDefinitionNode): boolean =>
  selectionSet.selections.every(node => node.kind === Kind.FIELD && node.name.value.startsWith('__'))

/**
 * The error of an operation that exceeds the limits; undefined where it may be executed. Every field costs 1,
 * `Transaction.block` and the `fields` of a type in the schema 100, as in Besu.
 */
export const complexityError = (
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
  variables: Variables,
  complexityMax: number,
): DocumentError | undefined => {
  const root = schema.getRootType(operation.operation)
  if (root === undefined || root === null) return undefined
  const meter = createMeter(schema, document, withDefaults(operation, variables))
  const { cost, depth, schemaDepth } = meter(operation.selectionSet, root)
  if (depth > DEPTH_MAX)
    return new DocumentError('ExecutionAborted', `maximum query depth exceeded ${depth} > ${DEPTH_MAX}`)
  if (cost <= complexityMax) return undefined
  if (schemaDepth <= 1 && cost <= SCHEMA_COMPLEXITY_MAX && asksForSchemaOnly(operation)) return undefined
  return new DocumentError('ExecutionAborted', `maximum query complexity exceeded ${cost} > ${complexityMax}`)
}
