import {
  type ASTNode,
  type DefinitionNode,
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLError,
  type GraphQLSchema,
  Kind,
  NoFragmentCyclesRule,
  NoSchemaIntrospectionCustomRule,
  specifiedRules,
  validate,
  type ValidationContext,
  type ValidationRule,
} from 'graphql'
import { DocumentError } from '../errors.ts'
import { argumentMismatch, fits } from './literals.ts'
import { TEXTS } from './texts.ts'
import { valueText } from './valueText.ts'

/** Maximum number of reported errors of one document, as in Besu. */
const ERRORS_MAX = 100

/** The current position in the document: names of fields and fragments, as Besu writes them after an error's kind. */
type Place = string[]

/** Must be before all other rules, `leaving` after them: rules report errors on entering and on leaving a node. */
const entering = (place: Place): ValidationRule => {
  const enter = ({ name }: FieldNode | FragmentDefinitionNode): void => void place.push(name.value)
  return () => ({ Field: { enter }, FragmentDefinition: { enter } })
}

const leaving = (place: Place): ValidationRule => {
  const leave = (): void => void place.pop()
  return () => ({ Field: { leave }, FragmentDefinition: { leave } })
}

const described = (kind: string, place: Place, text: string): string =>
  `Validation error (${kind}${place.length === 0 ? '' : `@[${place.join('/')}]`}) : ${text}`

/** Besu reports the position where a variable is used, the library that of its definition, too. */
const placesOf = ({ name }: ValidationRule, { nodes = [] }: GraphQLError): readonly ASTNode[] =>
  name === 'VariablesInAllowedPositionRule' ? nodes.slice(-1) : nodes

/** The library's rule with Besu's texts. */
const translated =
  (rule: ValidationRule, place: Place): ValidationRule =>
  context => {
    const reportError = (error: GraphQLError): void => {
      const row = TEXTS[rule.name]?.find(({ pattern }) => pattern?.test(error.message) ?? true)
      const found = row?.pattern?.exec(error.message)?.slice(1) ?? []
      const message =
        row === undefined
          ? `Validation error : ${error.message}`
          : described(row.kind, place, row.text(...found))
      context.reportError(new DocumentError('ValidationError', message, { nodes: placesOf(rule, error) }))
    }
    // All other members of the context are unchanged.
    return rule(Object.create(context, { reportError: { value: reportError } }) as ValidationContext)
  }

/** Literals must match their type. Replaces the library's rule, which reports only the innermost literal. */
const literalsRule =
  (place: Place): ValidationRule =>
  context => ({
    Argument: node => {
      const type = context.getArgument()?.type
      const mismatch = type === undefined ? undefined : argumentMismatch(node, type)
      if (mismatch !== undefined)
        context.reportError(
          new DocumentError('ValidationError', described('WrongType', place, mismatch), { nodes: [node] }),
        )
      return undefined
    },
    VariableDefinition: node => {
      const type = context.getInputType()
      const { defaultValue } = node
      if (defaultValue === undefined || type === undefined || type === null || fits(defaultValue, type))
        return
      const text = `Bad default value '${valueText(defaultValue)}' for type '${String(type)}'`
      context.reportError(
        new DocumentError('ValidationError', described('BadValueForDefaultArg', place, text), {
          nodes: [node],
        }),
      )
    },
  })

/** The library's rules that are replaced by one above, or that run before all others. */
const ELSEWHERE: ReadonlySet<string> = new Set(['ValuesOfCorrectTypeRule', 'NoFragmentCyclesRule'])

const RULES: readonly ValidationRule[] = specifiedRules.filter(({ name }) => !ELSEWHERE.has(name))

const isFragment = ({ kind }: DefinitionNode): boolean => kind === Kind.FRAGMENT_DEFINITION

/** The errors of a document, with Besu's texts. */
export const validateDocument = (
  schema: GraphQLSchema,
  document: DocumentNode,
  { introspection }: { readonly introspection: boolean },
): readonly GraphQLError[] => {
  const check = (rules: (place: Place) => readonly ValidationRule[]): readonly GraphQLError[] => {
    const place: Place = []
    return validate(schema, document, [entering(place), ...rules(place), leaving(place)], {
      maxErrors: ERRORS_MAX,
    })
  }
  if (document.definitions.some(isFragment)) {
    // First, since other rules follow fragments and take long in a cycle.
    const cycles = check(place => [translated(NoFragmentCyclesRule, place)])
    if (cycles.length > 0) return cycles
  }
  const rules = introspection ? RULES : [...RULES, NoSchemaIntrospectionCustomRule]
  return check(place => [literalsRule(place), ...rules.map(rule => translated(rule, place))])
}
