/** One kind of error: Besu's name, and its text built from the quotations in the library's message. */
type Text = {
  readonly kind: string
  /** Finds the parts of the library's message that the text needs; undefined where it needs none. */
  readonly pattern?: RegExp
  readonly text: (...found: readonly string[]) => string
}

const NAME = /"([^"]*)"/
const VARIABLE = /"\$([^"]*)"/
const DIRECTIVE = /"@([^"]*)"/

/** A text about the first name in the message. */
const named = (pattern: RegExp, kind: string, text: (name: string | undefined) => string): Text => ({
  kind,
  pattern,
  text,
})

/** Texts by the library's rule; the first with a matching pattern applies. */
export const TEXTS: Readonly<Record<string, readonly Text[]>> = {
  ExecutableDefinitionsRule: [
    { kind: 'NonExecutableDefinition', text: () => 'Provided definition is not executable' },
  ],
  KnownOperationTypesRule: [
    { kind: 'UnknownOperation', text: () => 'The operation type is not defined in the schema' },
  ],
  UniqueOperationNamesRule: [
    named(NAME, 'DuplicateOperationName', name => `There can be only one operation named '${name}'`),
  ],
  LoneAnonymousOperationRule: [
    { kind: 'LoneAnonymousOperationViolation', text: () => 'Anonymous operation with other operations' },
  ],
  SingleFieldSubscriptionsRule: [
    {
      kind: 'SubscriptionMultipleRootFields',
      text: () => 'Subscription operation must have exactly one root field',
    },
  ],
  KnownTypeNamesRule: [named(NAME, 'UnknownType', name => `Unknown type '${name}'`)],
  FragmentsOnCompositeTypesRule: [
    {
      kind: 'FragmentTypeConditionInvalid',
      text: () => 'Fragment type condition is invalid, must be on Object/Interface/Union',
    },
  ],
  VariablesAreInputTypesRule: [
    {
      kind: 'NonInputTypeOnVariable',
      pattern: /"\$([^"]*)" cannot be non-input type "([^"]*)"/,
      text: (name, type) => `Input variable '${name}' type '${type}' is not an input type`,
    },
  ],
  ScalarLeafsRule: [
    {
      kind: 'SubselectionNotAllowed',
      pattern: /Field "([^"]*)" must not have a selection since type "([^"]*)"/,
      text: (field, type) => `Subselection not allowed on leaf type '${type}' of field '${field}'`,
    },
    {
      kind: 'SubselectionRequired',
      pattern: /Field "([^"]*)" of type "([^"]*)" must have/,
      text: (field, type) => `Subselection required for type '${type}' of field '${field}'`,
    },
  ],
  FieldsOnCorrectTypeRule: [
    {
      kind: 'FieldUndefined',
      pattern: /field "([^"]*)" on type "([^"]*)"/,
      text: (field, type) => `Field '${field}' in type '${type}' is undefined`,
    },
  ],
  UniqueFragmentNamesRule: [
    named(NAME, 'DuplicateFragmentName', name => `There can be only one fragment named '${name}'`),
  ],
  KnownFragmentNamesRule: [named(NAME, 'UndefinedFragment', name => `Undefined fragment '${name}'`)],
  NoUnusedFragmentsRule: [named(NAME, 'UnusedFragment', name => `Unused fragment '${name}'`)],
  PossibleFragmentSpreadsRule: [
    {
      kind: 'InvalidFragmentType',
      pattern: /Fragment "([^"]*)" cannot .* type "([^"]*)" can never be of type "([^"]*)"/,
      text: (name, parent, type) =>
        `Fragment '${name}' cannot be spread here as objects of type '${parent}' can never be of type '${type}'`,
    },
    {
      kind: 'InvalidFragmentType',
      pattern: /type "([^"]*)" can never be of type "([^"]*)"/,
      text: (parent, type) =>
        `Fragment cannot be spread here as objects of type '${parent}' can never be of type '${type}'`,
    },
  ],
  NoFragmentCyclesRule: [{ kind: 'FragmentCycle', text: () => 'Fragment cycles not allowed' }],
  UniqueVariableNamesRule: [
    named(VARIABLE, 'DuplicateVariableName', name => `There can be only one variable named '${name}'`),
  ],
  NoUndefinedVariablesRule: [named(VARIABLE, 'UndefinedVariable', name => `Undefined variable '${name}'`)],
  NoUnusedVariablesRule: [named(VARIABLE, 'UnusedVariable', name => `Unused variable '${name}'`)],
  KnownDirectivesRule: [
    {
      kind: 'UnknownDirective',
      pattern: /Unknown directive "@([^"]*)"/,
      text: name => `Unknown directive '${name}'`,
    },
    named(DIRECTIVE, 'MisplacedDirective', name => `Directive '${name}' not allowed here`),
  ],
  UniqueDirectivesPerLocationRule: [
    named(
      DIRECTIVE,
      'DuplicateDirectiveName',
      name => `Non repeatable directives must be uniquely named within a location: '${name}' is not unique`,
    ),
  ],
  KnownArgumentNamesRule: [
    {
      kind: 'UnknownDirective',
      pattern: /argument "([^"]*)" on directive/,
      text: name => `Unknown directive argument '${name}'`,
    },
    {
      kind: 'UnknownArgument',
      pattern: /argument "([^"]*)" on field/,
      text: name => `Unknown field argument '${name}'`,
    },
  ],
  UniqueArgumentNamesRule: [
    named(NAME, 'DuplicateArgumentNames', name => `There can be only one argument named '${name}'`),
  ],
  ProvidedRequiredArgumentsRule: [
    {
      kind: 'MissingDirectiveArgument',
      pattern: /"@[^"]*\((\w+):\)"/,
      text: name => `Missing directive argument '${name}'`,
    },
    {
      kind: 'MissingFieldArgument',
      pattern: /\((\w+):\)"/,
      text: name => `Missing field argument '${name}'`,
    },
  ],
  VariablesInAllowedPositionRule: [
    {
      kind: 'VariableTypeMismatch',
      pattern: /"\$([^"]*)" of type "([^"]*)" used in position expecting type "([^"]*)"/,
      text: (name, type, expected) =>
        `Variable '${name}' of type '${type}' used in position expecting type '${expected}'`,
    },
  ],
  OverlappingFieldsCanBeMergedRule: [
    {
      kind: 'FieldsConflict',
      pattern: /Fields "([^"]*)" conflict because "([^"]*)" and "([^"]*)" are different fields/,
      text: (name, a, b) => `'${name}' : '${a}' and '${b}' are different fields`,
    },
    {
      kind: 'FieldsConflict',
      pattern: /Fields "([^"]*)" conflict because they return conflicting types "([^"]*)" and "([^"]*)"/,
      text: (name, a, b) => `'${name}' : returns different types '${a}' and '${b}'`,
    },
    {
      kind: 'FieldsConflict',
      pattern: /Fields "([^"]*)"/,
      text: name => `'${name}' : fields have different arguments`,
    },
  ],
  UniqueInputFieldNamesRule: [
    named(NAME, 'UniqueObjectFieldName', name => `There can be only one field named '${name}'`),
  ],
}
