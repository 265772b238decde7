import { ExecutionAborted } from '../errors.ts'

/** Maximum length of all values of one answer; punctuation and names at most double it. */
export const RESULT_CHARACTERS_MAX = 50_000_000

/** Quotes, a comma and a short name. */
const FIELD_CHARACTERS = 16

/** Maximum number of failed fields in one answer: each has an error with its path. */
const ERRORS_MAX = 1_000

/** Counts the size of an answer during its execution, so that no answer beyond the limit is ever built. */
export type Budget = {
  /**
   * Counts the value of a field and returns it. @throws ExecutionAborted when the answer is too long; the request then
   * ends
   */
  readonly countValue: (value: unknown) => unknown
  /** Counts the error of a field and throws it. @throws ExecutionAborted when there are too many; the request then ends */
  readonly countError: (error: unknown) => never
  /** Characters counted so far. */
  readonly characters: () => number
}

const isValue = (value: unknown): boolean => typeof value === 'string' || value instanceof Uint8Array

const charactersOf = (value: unknown): number => {
  if (typeof value === 'string') return FIELD_CHARACTERS + value.length
  if (value instanceof Uint8Array) return FIELD_CHARACTERS + 2 * value.length
  // Only lists of scalars count here; objects count by their fields.
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
    characters: () => RESULT_CHARACTERS_MAX - left,
    countError: error => {
      if (++errors > ERRORS_MAX) end(`maximum number of errors exceeded: ${ERRORS_MAX}`)
      throw error
    },
    countValue: value => {
      left -= charactersOf(value)
      if (left < 0)
        end(
          `maximum result size exceeded: the values of an answer may have ${RESULT_CHARACTERS_MAX} characters`,
        )
      return value
    },
  }
}
