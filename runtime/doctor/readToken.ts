import { readFileSync } from 'node:fs'
import { CommandError } from '../cli/errors.ts'

/** A token has some hundred characters. */
const TOKEN_LENGTH_MAX = 64 * 1024

/** The token in a file; undefined without one. @throws CommandError */
export const readToken = (path: string | undefined): string | undefined => {
  if (path === undefined) return undefined
  let text: string
  try {
    text = readFileSync(path, 'utf8').trim()
  } catch (cause) {
    throw new CommandError(
      'INPUT',
      `Cannot read the token in ${path}: ${(cause as { code?: string }).code ?? String(cause)}`,
    )
  }
  if (text === '' || text.length > TOKEN_LENGTH_MAX || /\s/.test(text))
    throw new CommandError('INPUT', `${path} holds no token: one line is expected`)
  return text
}
