import { type DocumentNode, GraphQLError, Kind, Lexer, parse, Source, TokenKind, visit } from 'graphql'
import { DocumentError } from '../errors.ts'

/** Maximum length of a query in characters, as in Besu. Long values belong in variables. */
const QUERY_CHARACTERS_MAX = 1_048_576

/** Maximum number of tokens in a query, as in Besu. */
const TOKENS_MAX = 15_000

/** Maximum nesting of brackets: parsing and validation recurse. Eight times the depth of the deepest valid query. */
const NESTING_MAX = 256

/** Maximum number of aliases: each repeats a field. Besu's complexity limit has the same effect. */
const ALIASES_MAX = 200

/** Maximum number of fields of a query with all its fragments: validation compares every pair. */
const FIELDS_MAX = 500

/** Maximum number of fragments: validation visits each one once for every fragment that spreads it. */
const FRAGMENTS_MAX = 50

const refused = (message: string): DocumentError => new DocumentError('ExecutionAborted', message)

const OPENING: ReadonlySet<string> = new Set([TokenKind.BRACE_L, TokenKind.BRACKET_L, TokenKind.PAREN_L])
const CLOSING: ReadonlySet<string> = new Set([TokenKind.BRACE_R, TokenKind.BRACKET_R, TokenKind.PAREN_R])

/**
 * Checks the limits on the tokens alone, which needs neither memory nor stack: a colon outside of parentheses is an
 * alias, `fragment` outside of all brackets begins a fragment. @throws DocumentError, GraphQLError on an invalid token
 */
const checkTokens = (source: Source): void => {
  const lexer = new Lexer(source)
  let nesting = 0
  let parentheses = 0
  let aliases = 0
  let fragments = 0
  for (let count = 0; lexer.advance().kind !== TokenKind.EOF; count++) {
    if (count >= TOKENS_MAX)
      throw refused(
        `More than ${TOKENS_MAX} 'grammar' tokens have been presented. To prevent Denial Of Service attacks, parsing has been cancelled.`,
      )
    const { kind, value } = lexer.token
    if (OPENING.has(kind)) nesting++
    else if (CLOSING.has(kind)) nesting--
    if (kind === TokenKind.PAREN_L) parentheses++
    else if (kind === TokenKind.PAREN_R) parentheses--
    else if (kind === TokenKind.COLON && parentheses === 0) aliases++
    else if (nesting === 0 && value === 'fragment') fragments++
    if (nesting > NESTING_MAX)
      throw refused(
        `More than ${NESTING_MAX} deep 'grammar' rules have been entered. To prevent Denial Of Service attacks, parsing has been cancelled.`,
      )
  }
  if (fragments > FRAGMENTS_MAX)
    throw refused(`maximum number of fragments exceeded ${fragments} > ${FRAGMENTS_MAX}`)
  if (aliases > ALIASES_MAX) throw refused(`maximum number of aliases exceeded ${aliases} > ${ALIASES_MAX}`)
}

const checkFields = (document: DocumentNode): void => {
  let fields = 0
  visit(document, { [Kind.FIELD]: () => void fields++ })
  if (fields > FIELDS_MAX) throw refused(`maximum number of fields exceeded ${fields} > ${FIELDS_MAX}`)
}

/** The text of the token at a position. */
const tokenAt = ({ body }: Source, position: number): string =>
  /^(?:[_A-Za-z]\w*|\.\.\.|"[^"\n]*"?|[^\s])/.exec(body.slice(position))?.[0] ?? '<EOF>'

/** Besu's text for a syntax error. */
const syntaxError = (error: GraphQLError, source: Source): DocumentError => {
  const position = error.positions?.[0] ?? 0
  const { line, column } = error.locations?.[0] ?? { line: 1, column: 1 }
  const message = `Invalid Syntax : offending token '${tokenAt(source, position)}' at line ${line} column ${column}`
  return new DocumentError('InvalidSyntax', message, { source, positions: [position] })
}

/** Parses a query. @throws DocumentError on a syntax error or a limit */
export const parseDocument = (text: string): DocumentNode => {
  if (text.length > QUERY_CHARACTERS_MAX)
    throw refused(
      `More than ${QUERY_CHARACTERS_MAX} characters have been presented. To prevent Denial Of Service attacks, parsing has been cancelled.`,
    )
  const source = new Source(text)
  try {
    checkTokens(source)
    const document = parse(source, { maxTokens: TOKENS_MAX })
    checkFields(document)
    return document
  } catch (error) {
    if (error instanceof GraphQLError && !(error instanceof DocumentError)) throw syntaxError(error, source)
    throw error
  }
}
