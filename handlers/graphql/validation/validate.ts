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
import { argumentMisfit, fits } from './literals.ts'
import { TEXTS } from './texts.ts'
import { valueText } from './valueText.ts'

/** Errors of one document that are told; Besu's. */
const ERRORS_MAX = 100

/** Where in the document checking is: names of fields and fragments, as Besu writes them behind an error's kind. */
type Place = string[]

/** Must come before all other rules, `leaving` after them: errors are found on the way in and on the way out. */
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

/** Besu names the place where a variable is used, the library that of its definition too. */
const placesOf = ({ name }: ValidationRule, { nodes = [] }: GraphQLError): readonly ASTNode[] =>
  name === 'VariablesInAllowedPositionRule' ? nodes.slice(-1) : nodes

/** The library's rule with Besu's words. */
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
    // Everything else of the context is used as it is.
    return rule(Object.create(context, { reportError: { value: reportError } }) as ValidationContext)
  }

/** Literals must fit what takes them; in place of the library's rule, which tells it of the innermost alone. */
const literalsRule =
  (place: Place): ValidationRule =>
  context => ({
    Argument: node => {
      const type = context.getArgument()?.type
      const misfit = type === undefined ? undefined : argumentMisfit(node, type)
      if (misfit !== undefined)
        context.reportError(
          new DocumentError('ValidationError', described('WrongType', place, misfit), { nodes: [node] }),
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

/** The library's rule that ours takes the place of, and the one that comes before all others. */
const ELSEWHERE: ReadonlySet<string> = new Set(['ValuesOfCorrectTypeRule', 'NoFragmentCyclesRule'])

const RULES: readonly ValidationRule[] = specifiedRules.filter(({ name }) => !ELSEWHERE.has(name))

const isFragment = ({ kind }: DefinitionNode): boolean => kind === Kind.FRAGMENT_DEFINITION

/** The errors of a document, in Besu's words. */
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
    // Other rules follow fragments, and go round a cycle for long before they notice.
    const cycles = check(place => [translated(NoFragmentCyclesRule, place)])
    if (cycles.length > 0) return cycles
  }
  const rules = introspection ? RULES : [...RULES, NoSchemaIntrospectionCustomRule]
  return check(place => [literalsRule(place), ...rules.map(rule => translated(rule, place))])
}
