import { CommandError } from '../cli/errors.ts'
import { readFailureReason, readTextUpTo } from '../cli/readUpTo.ts'

/** A token has some hundred characters. */
const TOKEN_BYTES_MAX = 64 * 1024

/** The token in a file; undefined without one. @throws CommandError */
export const readToken = (path: string | undefined): string | undefined => {
  if (path === undefined) return undefined
  let text: string
  try {
    text = readTextUpTo(path, TOKEN_BYTES_MAX).trim()
  } catch (cause) {
    throw new CommandError('INPUT', `Cannot read the token in ${path}: ${readFailureReason(cause)}`)
  }
  if (text === '' || /\s/.test(text))
    throw new CommandError('INPUT', `${path} holds no token: one line is expected`)
  return text
}
