import {
  type DocumentNode,
  type ExecutionArgs,
  type ExecutionResult,
  execute,
  type GraphQLError,
  type GraphQLSchema,
  getOperationAST,
  subscribe,
} from 'graphql'
import { createYoga, isAsyncIterable, mapAsyncIterator, type Plugin } from 'graphql-yoga'
import type { Scheduler } from '../../core/scheduler.ts'
import { createCompression } from '../http/compression.ts'
import { createReadBody } from '../inbound/body.ts'
import type { ClaimBytes } from '../inbound/inboundLimits.ts'
import type { GraphqlContext } from './context.ts'
import { ExecutionAborted } from './errors.ts'
import { answer, answerJson, resultOf } from './http/answer.ts'
import { readParameters } from './http/parameters.ts'
import { complexityError } from './limits/complexity.ts'
import { parseDocument } from './limits/document.ts'
import { createTextCache } from './limits/documentCache.ts'
import { validateDocument } from './validation/validate.ts'

export type EngineOptions = {
  readonly schema: GraphQLSchema
  readonly complexityMax: number
  /** True when introspection is allowed. */
  readonly introspection: boolean
  readonly bodyBytesMax: number
  /** Timeout for a complete body. */
  readonly timeoutMs: number
  readonly prettyPrint: boolean
  /** Receives internal errors. */
  readonly report: (error: unknown) => void
  readonly scheduler: Scheduler
}

/** Context of one request. */
export type EngineContext = GraphqlContext & {
  /** Aborts the execution. */
  readonly abortSignal: AbortSignal
  /** Gives the address of the other end of the connection. */
  readonly peer: () => string
  /** Claims memory for the request until it is answered. */
  readonly claim: ClaimBytes
}

/** Answers one request for the endpoint. */
export type Engine = (request: Request, context: EngineContext) => Promise<Response>

type Args = Omit<ExecutionArgs, 'contextValue'> & { readonly contextValue: EngineContext }

/** Executes the operation. An aborted execution returns a result with the error that aborted it. */
const executeBounded = async (args: Args): Promise<ExecutionResult> => {
  try {
    return await execute({ ...args, abortSignal: args.contextValue.abortSignal })
  } catch (error) {
    const cause = error instanceof Error ? error.cause : undefined
    return resultOf(cause instanceof ExecutionAborted ? cause : error)
  }
}

/** The reason for which an operation must not be executed; undefined where it may. */
const refusalOf = (args: Args, complexityMax: number): GraphQLError | undefined => {
  const { schema, document, operationName, variableValues } = args
  const operation = getOperationAST(document, operationName)
  // The library reports a missing operation with a better message.
  if (operation === null || operation === undefined) return undefined
  return complexityError(schema, document, operation, variableValues ?? {}, complexityMax)
}

const createPlugin = (options: EngineOptions): Plugin<object, EngineContext, EngineContext> => {
  const { schema, complexityMax, introspection, report, scheduler } = options
  const readBody = createReadBody({
    bytesMax: options.bodyBytesMax,
    timeoutMs: options.timeoutMs,
    scheduler,
  })
  const compression = createCompression(scheduler)
  return {
    onRequestParse: ({ setRequestParser, serverContext: { claim } }) => {
      setRequestParser(request => readParameters(request, { readBody, claim, scheduler }))
    },
    onParse: ({ setParseFn }) => {
      setParseFn((source: unknown) => parseDocument(String(source)))
    },
    onValidate: ({ setValidationFn }) => {
      setValidationFn((_: GraphQLSchema, document: DocumentNode) =>
        validateDocument(schema, document, { introspection }),
      )
    },
    onExecute: ({ args, setExecuteFn, setResultAndStopExecution }) => {
      const error = refusalOf(args as Args, complexityMax)
      if (error === undefined) setExecuteFn(bounded => executeBounded(bounded as Args))
      else setResultAndStopExecution({ errors: [error] })
    },
    onSubscribe: ({ args, setSubscribeFn, setResultAndStopExecution }) => {
      const error = refusalOf(args as Args, complexityMax)
      if (error === undefined) setSubscribeFn(subscribe)
      else setResultAndStopExecution({ errors: [error] })
    },
    onExecutionResult: payload => {
      // The library writes events, so they must already have their final form.
      if (isAsyncIterable(payload.result))
        payload.setResult(
          mapAsyncIterator(payload.result, event => answerJson(event as ExecutionResult, report)),
        )
    },
    onResultProcess: payload => {
      const { result, resultProcessor } = payload
      if (isAsyncIterable(result)) {
        // The client accepts no event stream, so the subscription ends.
        if (resultProcessor === undefined) void result[Symbol.asyncIterator]().return?.()
        return
      }
      payload.setResultProcessor(
        one =>
          answer(
            one as ExecutionResult,
            payload.serverContext.scope.budget.characters(),
            (body, init) => compression.respond(body, payload.request, payload.serverContext.peer, init),
            options,
          ),
        'application/json',
      )
    },
  }
}

/** The runtime's own classes for the library's use: they are faster than its own, and the server expects them. */
const { Request, Response, Headers, URL, ReadableStream, TextEncoder } = globalThis

/** Executes the requests of the endpoint within its limits. */
export const createEngine = (options: EngineOptions): Engine => {
  // The library checks a schema at its first use: do it now rather than during a request.
  validateDocument(options.schema, parseDocument('{ __typename }'), options)
  const yoga = createYoga<EngineContext>({
    schema: options.schema,
    plugins: [createPlugin(options)],
    parserAndValidationCache: { documentCache: createTextCache(), errorCache: createTextCache() },
    fetchAPI: { Request, Response, Headers, URL, ReadableStream, TextEncoder },
    // This project formats errors and serves everything around the endpoint itself.
    maskedErrors: false,
    logging: false,
    graphiql: false,
    landingPage: false,
    cors: false,
    multipart: false,
    batching: false,
    maxRequestBodySize: false,
  })
  return async (request, context) => await yoga.fetch(request, context)
}
