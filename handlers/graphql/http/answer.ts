import { type ExecutionResult, GraphQLError } from 'graphql'
import { errorJson, isUnauthorized } from '../errors.ts'

export const JSON_HEADERS = { 'content-type': 'application/json; charset=utf-8' }

const INDENT = 2

/** An answer's members in Besu's order; `data` is left out where nothing was executed. */
export const answerJson = (
  { errors = [], data }: ExecutionResult,
  report: (error: unknown) => void,
): Record<string, unknown> => ({
  ...(errors.length === 0 ? {} : { errors: errors.map(error => errorJson(error, report)) }),
  ...(data === undefined ? {} : { data }),
})

const statusOf = ({ errors = [] }: ExecutionResult): number => {
  if (errors.length === 0) return 200
  return errors.some(isUnauthorized) ? 401 : 400
}

/** The HTTP answer: as with Besu 400 with any error, even where there are data too. */
export const answer = (
  result: ExecutionResult,
  prettyPrint: boolean,
  report: (error: unknown) => void,
): Response =>
  new Response(JSON.stringify(answerJson(result, report), undefined, prettyPrint ? INDENT : 0), {
    status: statusOf(result),
    headers: JSON_HEADERS,
  })

/** For what went wrong outside of the execution of a field. */
export const resultOf = (error: unknown): ExecutionResult => ({
  errors: [
    error instanceof GraphQLError
      ? error
      : new GraphQLError(
          error instanceof Error ? error.message : String(error),
          error instanceof Error ? { originalError: error } : {},
        ),
  ],
})
