/** Of one piece: so much text is put together, encoded and written in a fraction of a millisecond. */
const PIECE_LENGTH = 64 * 1024

/** A JSON value as text in pieces: where it is long they are never put together, which would hold up everyone else. */
export type JsonPieces = {
  readonly pieces: readonly string[]
  /** The pieces put together. */
  readonly text: string
  /** For whoever writes it as JSON together with something else. */
  toJSON(): unknown
}

/** Results of methods are of any shape, so these are known by where they were made. */
const made = new WeakSet<object>()

export const isJsonPieces = (value: unknown): value is JsonPieces =>
  typeof value === 'object' && value !== null && made.has(value)

const jsonPieces = (pieces: readonly string[]): JsonPieces => {
  const value: JsonPieces = {
    pieces,
    get text() {
      return pieces.join('')
    },
    toJSON: () => JSON.parse(pieces.join('')) as unknown,
  }
  made.add(value)
  return value
}

/** An array that is made element by element. */
export type JsonArray = {
  /** @param element JSON text */
  add(element: string): void
  finish(): JsonPieces
}

export const createJsonArray = (): JsonArray => {
  const pieces: string[] = []
  let last = '['
  let isEmpty = true
  return {
    add: element => {
      last += isEmpty ? element : `,${element}`
      isEmpty = false
      if (last.length < PIECE_LENGTH) return
      pieces.push(last)
      last = ''
    },
    finish: () => jsonPieces([...pieces, `${last}]`]),
  }
}
