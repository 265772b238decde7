import { GraphQLError } from 'graphql'
import { TransactionRejected, type RejectionCode } from '../../core/txpool/rejection.ts'
import { prunedError, RPC_ERRORS, RpcError } from '../rpc/errors.ts'
import { HistoryPruned } from '../../core/store/historyPruned.ts'
import { ReplicaFault } from '../../core/store/replica/errors.ts'
import { NotProved } from '../../core/verify/notProved.ts'

/** A resolver's error; `errorCode` is absent where Besu has none. */
export class FetchError extends Error {
  override readonly name = 'FetchError'
  readonly code = 'DATA_FETCHING'
  readonly errorCode: number | undefined
  constructor(message: string, errorCode?: number) {
    super(message)
    this.errorCode = errorCode
  }
}

/** Ends the whole request rather than one field, because of a limit. With Besu's classification. */
export class ExecutionAborted extends Error {
  override readonly name = 'ExecutionAborted'
  readonly code = 'EXECUTION_ABORTED'
}

/** An error of the document, with Besu's name of its kind. */
export class DocumentError extends GraphQLError {
  readonly classification: 'ValidationError' | 'InvalidSyntax' | 'ExecutionAborted'
  constructor(
    classification: DocumentError['classification'],
    message: string,
    options: ConstructorParameters<typeof GraphQLError>[1] = {},
  ) {
    super(message, options)
    this.classification = classification
  }
}

export const invalidParams = (): FetchError =>
  new FetchError(RPC_ERRORS.INVALID_PARAMS.message, RPC_ERRORS.INVALID_PARAMS.code)

/** Texts of Besu's GraphQL that differ from its JSON-RPC, or that are internal errors there. */
const POOL_TEXTS: Partial<Readonly<Record<RejectionCode, string>>> = {
  WRONG_CHAIN_ID: 'Wrong Chain ID in transaction signature',
  CHAIN_ID_NOT_SUPPORTED: 'Signatures with replay protection are not supported',
}

type Json = Record<string, unknown>

/** The error that the client receives; undefined for an internal error. */
const clientErrorOf = (
  error: unknown,
): { readonly message: string; readonly code: number | undefined } | undefined => {
  if (error instanceof FetchError) return { message: error.message, code: error.errorCode }
  if (error instanceof HistoryPruned) return clientErrorOf(prunedError(error))
  if (error instanceof RpcError) return { message: error.message, code: RPC_ERRORS[error.code].code }
  if (error instanceof TransactionRejected)
    return { message: POOL_TEXTS[error.code] ?? error.message, code: error.rpcCode }
  return undefined
}

/** True where the store of a reader is the cause: it cannot be read, or has a wrong value. */
export const isOfStore = (error: unknown): error is NotProved | ReplicaFault =>
  error instanceof NotProved || error instanceof ReplicaFault

/** What a client is told of an internal error: the reason only where a reader's store is the cause. */
const internalErrorOf = (error: unknown): { readonly message: string; readonly code: number } => {
  const { message, code } = RPC_ERRORS.INTERNAL_ERROR
  return { message: isOfStore(error) ? `${message}: ${error.message}` : message, code }
}

const withPlace = (message: string, error: GraphQLError, extensions: Json): Json => ({
  message,
  ...(error.locations === undefined
    ? {}
    : { locations: error.locations.map(({ line, column }) => ({ line, column })) }),
  ...(error.path === undefined ? {} : { path: error.path }),
  extensions,
})

const VARIABLE = /^Variable "\$(\w+)"/

/** The library's error about a variable in Besu's words. */
const variableText = (message: string, name: string): string => {
  const type = /(?:required|non-null) type "([^"]+)"/i.exec(message)?.[1]
  if (type !== undefined) return `Variable '${name}' has coerced Null value for NonNull type '${type}'`
  return `Variable '${name}' has an invalid value: ${message.slice(message.indexOf(': ') + 2)}`
}

/** Path segments as Besu writes them: `/block/transactions[0]/hash`. */
const pathText = (path: readonly (string | number)[]): string =>
  path.map(part => (typeof part === 'number' ? `[${part}]` : `/${part}`)).join('')

/** An error in the form of the answer. `report` receives internal errors. */
export const errorJson = (error: GraphQLError, report: (error: unknown) => void): Json => {
  if (error instanceof DocumentError)
    return withPlace(error.message, error, { classification: error.classification })
  if (error.originalError instanceof ExecutionAborted)
    return { message: error.message, extensions: { classification: 'ExecutionAborted' } }
  if (error.path === undefined) {
    const name = VARIABLE.exec(error.message)?.[1]
    const message = name === undefined ? error.message : variableText(error.message, name)
    return withPlace(message, error, { classification: 'ValidationError' })
  }
  const cause = error.originalError
  let clientError = clientErrorOf(cause)
  if (clientError === undefined) {
    report(cause ?? error)
    clientError = internalErrorOf(cause)
  }
  const { message, code } = clientError
  return withPlace(`Exception while fetching data (${pathText(error.path)}) : ${message}`, error, {
    ...(code === undefined ? {} : { errorCode: code, errorMessage: message }),
    classification: 'DataFetchingException',
  })
}

/** True for a missing permission, which has an HTTP status of its own. */
export const isUnauthorized = (error: GraphQLError): boolean =>
  error.originalError instanceof RpcError && error.originalError.code === 'UNAUTHORIZED'
