/** Of one piece: so much text is put together, encoded and written in a fraction of a millisecond. */
const PIECE_LENGTH = 64 * 1024

/** A JSON value as text in pieces: where it is long they are never put together, which would hold up everyone else. */
export class JsonPieces {
  readonly pieces: readonly string[]
  constructor(pieces: readonly string[]) {
    this.pieces = pieces
  }
  get text(): string {
    return this.pieces.join('')
  }
  /** For whoever writes it as JSON together with something else. */
  toJSON(): unknown {
    return JSON.parse(this.text)
  }
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
    finish: () => new JsonPieces([...pieces, `${last}]`]),
  }
}
