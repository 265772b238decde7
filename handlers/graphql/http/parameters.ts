import type { GraphQLParams } from 'graphql-yoga'
import { readBody, refuseBody } from '../../http/body.ts'
import { JsonError, parseJson } from '../../rpc/json.ts'
import { isObject } from '../../rpc/parameters/values.ts'
import { DocumentError } from '../errors.ts'

const malformed = (message: string): DocumentError => new DocumentError('InvalidSyntax', message)

const jsonOf = (text: string, what: string): unknown => {
  try {
    return parseJson(text)
  } catch (error) {
    if (error instanceof JsonError) throw malformed(`The ${what} is not JSON that can be read`)
    throw error
  }
}

const textOf = (value: unknown, member: string): string | undefined => {
  if (value === undefined || value === null) return undefined
  if (typeof value !== 'string') throw malformed(`"${member}" must be a string`)
  return value
}

const variablesOf = (value: unknown): GraphQLParams['variables'] => {
  if (value === undefined || value === null) return {}
  if (!isObject(value)) throw malformed('"variables" must be an object')
  return value
}

const parameters = (query: string | undefined, operationName: string | undefined, variables: unknown) => ({
  query: query ?? '',
  ...(operationName === undefined ? {} : { operationName }),
  variables: variablesOf(variables) ?? {},
})

const fromUrl = (url: string): GraphQLParams => {
  const { searchParams } = new URL(url)
  const variables = searchParams.get('variables')
  return parameters(
    searchParams.get('query') ?? undefined,
    searchParams.get('operationName') ?? undefined,
    variables === null ? undefined : jsonOf(variables, 'value of "variables"'),
  )
}

const fromJson = (text: string): GraphQLParams => {
  const body = jsonOf(text.trim(), 'body')
  if (!isObject(body)) throw malformed('The body must be a JSON object')
  const { query, operationName, variables } = body
  return parameters(textOf(query, 'query'), textOf(operationName, 'operationName'), variables)
}

const IS_JSON = /^\s*application\/json\s*(?:;|$)/i

/**
 * What a request asks for, by Besu's rules: in the URL of a GET; in the body of a POST as JSON where its content type says so,
 * whose parameters do not matter, and otherwise the whole body is the query. The answer itself where the body is too long, or does not come.
 * @throws DocumentError
 */
export const readParameters = async (
  request: Request,
  bodyBytesMax: number,
): Promise<GraphQLParams | Response> => {
  if (request.method === 'GET') return fromUrl(request.url)
  const body = await readBody(request, bodyBytesMax)
  if (typeof body !== 'string') return refuseBody(body)
  return IS_JSON.test(request.headers.get('content-type') ?? '')
    ? fromJson(body)
    : parameters(body.trim(), undefined, undefined)
}
