import { ExecutionAborted } from '../errors.ts'

/** Characters of one answer's values; what stands around them is not more than as much again. */
export const RESULT_CHARACTERS_MAX = 50_000_000

/** Quotes, a comma and a short name. */
const FIELD_CHARACTERS = 16

/** Fields of one answer that could not be answered: each is told with its place. */
const ERRORS_MAX = 1_000

/** Counts what an answer will hold while it is made, so that one that is too long is never made whole. */
export type Budget = {
  /** Passes the value of a field on. @throws ExecutionAborted once the answer would be too long; the request then ends */
  readonly spend: (value: unknown) => unknown
  /** Passes the error of a field on. @throws it, or ExecutionAborted when there are too many; the request then ends */
  readonly fail: (error: unknown) => never
  /** Characters so far. */
  readonly spent: () => number
}

const isValue = (value: unknown): boolean => typeof value === 'string' || value instanceof Uint8Array

const charactersOf = (value: unknown): number => {
  if (typeof value === 'string') return FIELD_CHARACTERS + value.length
  if (value instanceof Uint8Array) return FIELD_CHARACTERS + 2 * value.length
  // Of lists only those of values are counted here; what has fields of its own is counted by them.
  if (Array.isArray(value) && value.length > 0 && isValue(value[0]))
    return value.length * charactersOf(value[0])
  return FIELD_CHARACTERS
}

export const createBudget = (abort: (error: Error) => void): Budget => {
  let left = RESULT_CHARACTERS_MAX
  let errors = 0
  const end = (message: string): never => {
    const error = new ExecutionAborted(message)
    abort(error)
    throw error
  }
  return {
    spent: () => RESULT_CHARACTERS_MAX - left,
    fail: error => {
      if (++errors > ERRORS_MAX) end(`maximum number of errors exceeded: ${ERRORS_MAX}`)
      throw error
    },
    spend: value => {
      left -= charactersOf(value)
      if (left < 0)
        end(
          `maximum result size exceeded: the values of an answer may have ${RESULT_CHARACTERS_MAX} characters`,
        )
      return value
    },
  }
}
