import { stderr, stdin } from 'node:process'
import { CommandError } from '../errors.ts'

/** Characters after the end of a line belong to the next line. */
let unread = ''

const ENTER = /[\r\n]/
const CTRL_C = '\u0003'
const CTRL_D = '\u0004'
const ERASE = /[\u007f\b]/

type Line = { readonly kind: 'open' | 'done' | 'stopped'; readonly text: string }

/** Reads typed characters up to the end of the line. */
const typed = (line: string): Line => {
  let text = ''
  const characters = Array.from(unread)
  for (const [index, character] of characters.entries()) {
    if (ENTER.test(character)) {
      // A terminal that sends both characters sends them together.
      const skipped = character === '\r' && characters[index + 1] === '\n' ? 2 : 1
      unread = characters.slice(index + skipped).join('')
      return { kind: 'done', text: line + text }
    }
    if (character === CTRL_C || character === CTRL_D) return { kind: 'stopped', text: '' }
    if (ERASE.test(character)) {
      const kept = Array.from(line + text)
        .slice(0, -1)
        .join('')
      line = ''
      text = kept
    } else if (character >= ' ') text += character
  }
  unread = ''
  return { kind: 'open', text: line + text }
}

/** Reads a hidden line from the terminal, which standard input must be. @throws CommandError on Ctrl-C */
export const readSecret = (prompt: string): Promise<string> =>
  new Promise((resolve, reject) => {
    const decoder = new TextDecoder()
    let line = ''
    const finish = (settle: () => void): void => {
      stdin.off('data', onData)
      stdin.off('end', onEnd)
      stdin.setRawMode(false)
      stdin.pause()
      stderr.write('\n')
      settle()
    }
    const stop = (): void => finish(() => reject(new CommandError('INPUT', 'No password was given')))
    const advance = (): void => {
      const { kind, text } = typed(line)
      line = text
      if (kind === 'stopped') stop()
      if (kind === 'done') finish(() => resolve(text))
    }
    const onData = (chunk: Uint8Array): void => {
      unread += decoder.decode(chunk, { stream: true })
      advance()
    }
    const onEnd = (): void => stop()
    // Before the prompt, because a user may type as soon as it appears.
    stdin.setRawMode(true)
    stderr.write(prompt)
    stdin.on('data', onData)
    stdin.on('end', onEnd)
    stdin.resume()
    if (unread !== '') advance()
  })
