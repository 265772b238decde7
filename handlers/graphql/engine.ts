import {
  type ExecutionArgs,
  type ExecutionResult,
  execute,
  type GraphQLError,
  type GraphQLSchema,
  getOperationAST,
} from 'graphql'
import type { Scheduler } from '../../core/scheduler.ts'
import type { ClaimBytes } from '../inbound/inboundLimits.ts'
import type { GraphqlContext } from './context.ts'
import { ExecutionAborted, isOfStore } from './errors.ts'
import { resultOf } from './http/answer.ts'
import { complexityError } from './limits/complexity.ts'

export type EngineOptions = {
  readonly schema: GraphQLSchema
  readonly complexityMax: number
  /** True when introspection is allowed. */
  readonly introspection: boolean
  readonly bodyBytesMax: number
  readonly isCompressing: boolean
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
  /** The caller has shown who they are. */
  readonly isKnown: boolean
}

/** Answers one request for the endpoint. */
export type Engine = (request: Request, context: EngineContext) => Promise<Response>

/** What one operation is executed with. */
export type Args = Omit<ExecutionArgs, 'contextValue'> & { readonly contextValue: EngineContext }

/** Executes the operation. An aborted execution returns a result with the error that aborted it. */
export const executeBounded = async (args: Args): Promise<ExecutionResult> => {
  try {
    const result = await execute({ ...args, abortSignal: args.contextValue.abortSignal })
    for (const { originalError } of result.errors ?? [])
      args.contextValue.scope.proofs.note(isOfStore(originalError) ? 'reader' : 'head')
    return result
  } catch (error) {
    const cause = error instanceof Error ? error.cause : undefined
    return resultOf(cause instanceof ExecutionAborted ? cause : error)
  }
}

/** The reason for which an operation must not be executed; undefined where it may. */
export const refusalOf = (args: Args, complexityMax: number): GraphQLError | undefined => {
  const { schema, document, operationName, variableValues } = args
  const operation = getOperationAST(document, operationName)
  // The library reports a missing operation with a better message.
  if (operation === null || operation === undefined) return undefined
  return complexityError(schema, document, operation, variableValues ?? {}, complexityMax)
}

/** Makes the engine of an endpoint. */
export type CreateEngine = (options: EngineOptions) => Engine
