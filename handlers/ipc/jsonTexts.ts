/** The whole messages, and the length of the unfinished one after them. */
export type Split = {
  readonly texts: readonly string[]
  readonly heldLength: number
  readonly isTooLong: boolean
}

const OPENING = new Set(['{', '['])
const CLOSING = new Set(['}', ']'])

/**
 * Splits a stream of characters into JSON objects and arrays, which follow each other with or without white space between
 * them. Other characters before a message are a message of their own, up to the next line end, which is not valid JSON-RPC.
 * @param lengthMax longest message; a longer one ends the connection
 */
export const createJsonSplitter = (lengthMax: number): ((chunk: string) => Split) => {
  let held = ''
  let depth = 0
  let isInString = false
  let isEscaped = false
  const step = (character: string): boolean => {
    if (isInString) {
      if (isEscaped) isEscaped = false
      else if (character === '\\') isEscaped = true
      else if (character === '"') isInString = false
      return false
    }
    if (character === '"') isInString = depth > 0
    else if (OPENING.has(character)) depth++
    else if (CLOSING.has(character)) {
      depth = Math.max(0, depth - 1)
      return depth === 0
    } else return depth === 0 && character === '\n'
    return false
  }
  return chunk => {
    const texts: string[] = []
    let start = 0
    for (let at = 0; at < chunk.length; at++) {
      if (!step(chunk[at] as string)) continue
      const text = (held + chunk.slice(start, at + 1)).trim()
      held = ''
      start = at + 1
      if (text !== '') texts.push(text)
    }
    held += chunk.slice(start)
    return {
      texts,
      heldLength: held.length,
      isTooLong: held.length > lengthMax || texts.some(({ length }) => length > lengthMax),
    }
  }
}
