import { type DocumentNode, type ExecutionResult, type GraphQLSchema, subscribe } from 'graphql'
import { createYoga, isAsyncIterable, mapAsyncIterator, type Plugin } from 'graphql-yoga'
import { createCompression } from '../http/compression.ts'
import { createReadBody } from '../inbound/body.ts'
import {
  type Args,
  type Engine,
  type EngineContext,
  type EngineOptions,
  executeBounded,
  refusalOf,
} from './engine.ts'
import { answer, answerJson } from './http/answer.ts'
import { readParameters } from './http/parameters.ts'
import { parseDocument } from './limits/document.ts'
import { createTextCache } from './limits/documentCache.ts'
import { validateDocument } from './validation/validate.ts'

const createPlugin = (options: EngineOptions): Plugin<object, EngineContext, EngineContext> => {
  const { schema, complexityMax, introspection, report, scheduler, isCompressing } = options
  const readBody = createReadBody({
    bytesMax: options.bodyBytesMax,
    timeoutMs: options.timeoutMs,
    scheduler,
  })
  const compression = createCompression(scheduler, isCompressing)
  return {
    onRequestParse: ({ setRequestParser, serverContext: { claim, isKnown } }) => {
      setRequestParser(request => readParameters(request, { readBody, claim, isKnown, scheduler }))
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

/** Executes the requests of the endpoint within its limits, subscriptions over server-sent events as well. */
export const createYogaEngine = (options: EngineOptions): Engine => {
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
