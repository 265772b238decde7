import { errorText } from '../../../core/text/errorText.ts'
import { type ExecutionResult, GraphQLError } from 'graphql'
import type { Scheduler } from '../../../core/scheduler.ts'
import type { CompressedInit } from '../../http/compression.ts'
import type { ReplyBody } from '../../rpc/dispatch/envelope.ts'
import { errorJson, isUnauthorized } from '../errors.ts'
import { jsonPiecesOf } from './text.ts'

export const JSON_HEADERS = { 'content-type': 'application/json; charset=utf-8' }

const INDENT = 2

/** The members of an answer in Besu's order, without `data` where nothing was executed. */
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

/** Longer answers are written in slices. */
const SHORT_CHARACTERS = 1_000_000

export type AnswerOptions = {
  readonly prettyPrint: boolean
  readonly report: (error: unknown) => void
  readonly scheduler: Scheduler
}

/**
 * The HTTP answer: status 400 with any error, even beside data, as in Besu. @param characters length of its values.
 * @param respond encodes the body as the client accepts it.
 */
export const answer = async (
  result: ExecutionResult,
  characters: number,
  respond: (body: ReplyBody, init: CompressedInit) => Response,
  { prettyPrint, report, scheduler }: AnswerOptions,
): Promise<Response> => {
  const json = answerJson(result, report)
  const init = { status: statusOf(result), headers: JSON_HEADERS }
  const body =
    characters <= SHORT_CHARACTERS || prettyPrint
      ? JSON.stringify(json, undefined, prettyPrint ? INDENT : 0)
      : await jsonPiecesOf(json, scheduler.createYield())
  return respond(body, init)
}

/** The result for an error outside of a field's execution. */
export const resultOf = (error: unknown): ExecutionResult => ({
  errors: [
    error instanceof GraphQLError
      ? error
      : new GraphQLError(errorText(error), error instanceof Error ? { originalError: error } : {}),
  ],
})
