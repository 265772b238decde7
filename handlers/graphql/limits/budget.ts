import { ExecutionAborted } from '../errors.ts'

/** Characters of one answer's values; what stands around them is not more than as much again. */
export const RESULT_CHARACTERS_MAX = 50_000_000

/** Quotes, a comma and a short name. */
const FIELD_CHARACTERS = 16

/** Counts what an answer will hold while it is made, so that one that is too long is never made whole. */
export type Budget = {
  /** Passes the value of a field on. @throws ExecutionAborted once the answer would be too long; the request then ends */
  readonly spend: (value: unknown) => unknown
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
  return {
    spend: value => {
      left -= charactersOf(value)
      if (left < 0) {
        const error = new ExecutionAborted(
          `maximum result size exceeded: the values of an answer may have ${RESULT_CHARACTERS_MAX} characters`,
        )
        abort(error)
        throw error
      }
      return value
    },
  }
}
