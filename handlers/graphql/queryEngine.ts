import { type DocumentNode, type ExecutionResult, GraphQLError, getOperationAST } from 'graphql'
import type { GraphQLParams } from 'graphql-yoga'
import { createCompression } from '../http/compression.ts'
import { createReadBody } from '../inbound/body.ts'
import { type Engine, type EngineContext, type EngineOptions, executeBounded, refusalOf } from './engine.ts'
import { answer, resultOf } from './http/answer.ts'
import { readParameters } from './http/parameters.ts'
import { parseDocument } from './limits/document.ts'
import { createTextCache } from './limits/documentCache.ts'
import { validateDocument } from './validation/validate.ts'

/** A parsed query, with what is wrong with it. */
type Checked = { readonly document: DocumentNode; readonly errors: readonly GraphQLError[] }

const createCheck = ({ schema, introspection }: EngineOptions) => {
  const cache = createTextCache<Checked>()
  return (query: string): Checked => {
    const known = cache.get(query)
    if (known !== undefined) return known
    const document = parseDocument(query)
    const checked = { document, errors: validateDocument(schema, document, { introspection }) }
    cache.set(query, checked)
    return checked
  }
}

/** @throws GraphQLError for an operation that this endpoint does not serve with this method */
const requireServed = (document: DocumentNode, operationName: string | undefined, method: string): void => {
  const kind = getOperationAST(document, operationName)?.operation
  if (kind === undefined) throw new GraphQLError('Could not determine what operation to execute.')
  if (kind === 'mutation' && method === 'GET')
    throw new GraphQLError('Can only perform a mutation operation from a POST request.')
  if (kind === 'subscription') throw new GraphQLError('Subscriptions are not served here: ask a node.')
}

/** Executes queries by the `graphql` library alone: a third of the code of the other engine, without subscriptions. */
export const createQueryEngine = (options: EngineOptions): Engine => {
  const { schema, complexityMax, scheduler } = options
  const readBody = createReadBody({
    bytesMax: options.bodyBytesMax,
    timeoutMs: options.timeoutMs,
    scheduler,
  })
  const compression = createCompression(scheduler, options.isCompressing)
  const check = createCheck(options)

  const run = async (
    { query = '', operationName, variables }: GraphQLParams,
    method: string,
    contextValue: EngineContext,
  ): Promise<ExecutionResult> => {
    const { document, errors } = check(query)
    if (errors.length > 0) return { errors }
    requireServed(document, operationName, method)
    const args = {
      schema,
      document,
      contextValue,
      ...(variables === undefined ? {} : { variableValues: variables }),
      ...(operationName === undefined ? {} : { operationName }),
    }
    const refusal = refusalOf(args, complexityMax)
    return refusal === undefined ? await executeBounded(args) : { errors: [refusal] }
  }

  return async (request, context) => {
    let result: ExecutionResult
    try {
      const { claim, isKnown } = context
      const parameters = await readParameters(request, { readBody, claim, isKnown, scheduler })
      if (parameters instanceof Response) return parameters
      result = await run(parameters, request.method, context)
    } catch (error) {
      result = resultOf(error)
    }
    const respond: Parameters<typeof answer>[2] = (body, init) =>
      compression.respond(body, request, context.peer, init)
    return answer(result, context.scope.budget.characters(), respond, options)
  }
}
