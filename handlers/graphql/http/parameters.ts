import { isObject } from '../../../core/json.ts'
import type { GraphQLParams } from 'graphql-yoga'
import { type ReadBody, refuseBody } from '../../inbound/body.ts'
import type { ClaimBytes } from '../../inbound/inboundLimits.ts'
import { JsonError, parseJson } from '../../rpc/json/parse.ts'
import type { Scheduler } from '../../../core/scheduler.ts'
import { BodyTooBusy, parseYielding, parseWhole, WHOLE_LENGTH_MAX } from '../../rpc/dispatch/requestBody.ts'
import { DocumentError } from '../errors.ts'

const malformed = (message: string): DocumentError => new DocumentError('InvalidSyntax', message)

const notJson = (what: string, error: unknown): unknown => {
  if (!(error instanceof JsonError)) return error
  return malformed(
    error.code === 'TOO_MANY_VALUES'
      ? `The ${what} has ${error.message}`
      : `The ${what} is not JSON that can be read`,
  )
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
  const text = searchParams.get('variables')
  let variables: unknown
  try {
    variables = text === null ? undefined : parseJson(text)
  } catch (error) {
    throw notJson('value of "variables"', error)
  }
  return parameters(
    searchParams.get('query') ?? undefined,
    searchParams.get('operationName') ?? undefined,
    variables,
  )
}

/** Reads and parses a body. */
export type BodyReader = {
  readonly readBody: ReadBody
  readonly claim: ClaimBytes
  /** The caller has shown who they are. */
  readonly isKnown: boolean
  readonly scheduler: Scheduler
}

const fromJson = async (
  text: string,
  { claim, scheduler }: BodyReader,
): Promise<GraphQLParams | Response> => {
  let body: unknown
  try {
    const parsed =
      text.length <= WHOLE_LENGTH_MAX
        ? parseWhole(text, claim)
        : await parseYielding(text, 0, claim, scheduler.createYield())
    body = parsed.value
  } catch (error) {
    if (error instanceof BodyTooBusy) return refuseBody({ reason: 'busy', status: 503 })
    throw notJson('body', error)
  }
  if (!isObject(body)) throw malformed('The body must be a JSON object')
  const { query, operationName, variables } = body
  return parameters(textOf(query, 'query'), textOf(operationName, 'operationName'), variables)
}

const IS_JSON = /^\s*application\/json\s*(?:;|$)/i

/**
 * The parameters of a request by Besu's rules: from the URL of a GET; from the JSON body of a POST with that content
 * type, whose parameters are ignored; otherwise the whole body is the query. Gives an answer where the body is too
 * long, or does not arrive. @throws DocumentError
 */
export const readParameters = async (
  request: Request,
  reader: BodyReader,
): Promise<GraphQLParams | Response> => {
  if (request.method === 'GET') return fromUrl(request.url)
  const body = await reader.readBody(request, reader.claim, reader.isKnown)
  if (typeof body !== 'string') return refuseBody(body)
  await reader.scheduler.begin()
  return IS_JSON.test(request.headers.get('content-type') ?? '')
    ? await fromJson(body.trim(), reader)
    : parameters(body.trim(), undefined, undefined)
}
