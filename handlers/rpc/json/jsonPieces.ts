/** Characters of a piece: joined, encoded and written in a fraction of a millisecond. */
export const PIECE_LENGTH = 64 * 1024

/** Characters or bytes of an answer that are held unchanged. The rest is stored with the host's KeepBytes. */
export const PLAIN_LENGTH_MAX = 4 * 1024 * 1024

/** UTF-8 text of whole characters that waits to be sent, stored in less memory. */
export type KeptBytes = {
  /** Length of the original bytes. */
  readonly byteLength: number
  /** Restores the bytes; computed at each call. */
  bytes(): Uint8Array<ArrayBuffer>
}

/** Stores a copy; the caller may reuse its bytes. */
export type KeepBytes = (bytes: Uint8Array) => KeptBytes

/** Part of a JSON text. */
export type JsonPiece = string | KeptBytes

const encoder = new TextEncoder()
const decoder = new TextDecoder()

/** The default: stores the bytes uncompressed. */
export const keepPlain: KeepBytes = bytes => {
  const copy = new Uint8Array(bytes)
  return { byteLength: copy.length, bytes: () => copy }
}

export const pieceText = (piece: JsonPiece): string =>
  typeof piece === 'string' ? piece : decoder.decode(piece.bytes())

export const bytesOfPiece = (piece: JsonPiece): Uint8Array<ArrayBuffer> =>
  typeof piece === 'string' ? encoder.encode(piece) : piece.bytes()

/** Length in characters or bytes, which are nearly always equal. */
export const pieceLength = (piece: JsonPiece): number =>
  typeof piece === 'string' ? piece.length : piece.byteLength

/** A JSON value as text in pieces. Pieces of a long value are never joined: that would block the event loop. */
export type JsonPieces = {
  readonly pieces: readonly JsonPiece[]
  /** The joined pieces. */
  readonly text: string
  /** The value, for JSON.stringify. */
  toJSON(): unknown
}

/** The values created here: a result of a method may have any shape, so the shape does not identify them. */
const created = new WeakSet<object>()

export const isJsonPieces = (value: unknown): value is JsonPieces =>
  typeof value === 'object' && value !== null && created.has(value)

export const jsonPieces = (pieces: readonly JsonPiece[]): JsonPieces => {
  const join = (): string => pieces.map(pieceText).join('')
  const value: JsonPieces = {
    pieces,
    get text() {
      return join()
    },
    toJSON: () => JSON.parse(join()) as unknown,
  }
  created.add(value)
  return value
}

/** The JSON of a value. */
export const jsonOf = (value: unknown): readonly JsonPiece[] =>
  isJsonPieces(value) ? value.pieces : [JSON.stringify(value)]

/** A list of pieces; those beyond PLAIN_LENGTH_MAX are stored by the host. */
export type PieceList = {
  add(piece: JsonPiece): void
  readonly length: number
  readonly pieces: readonly JsonPiece[]
}

export const createPieceList = (keep: KeepBytes | undefined): PieceList => {
  const pieces: JsonPiece[] = []
  let length = 0
  /** Reused for all pieces, so that no garbage is left. */
  let scratch = new Uint8Array(0)

  const encode = (text: string): Uint8Array => {
    if (scratch.length < 3 * text.length) scratch = new Uint8Array(3 * text.length)
    return scratch.subarray(0, encoder.encodeInto(text, scratch).written)
  }

  return {
    add: piece => {
      length += pieceLength(piece)
      const isHeld = typeof piece !== 'string' || keep === undefined || length <= PLAIN_LENGTH_MAX
      pieces.push(isHeld ? piece : keep(encode(piece)))
    },
    get length() {
      return length
    },
    pieces,
  }
}

/** A JSON array that is written element by element. */
export type JsonArray = {
  /** @param element JSON text, in pieces where it may be long */
  add(...element: readonly JsonPiece[]): void
  finish(): JsonPieces
}

export const createJsonArray = (keep?: KeepBytes): JsonArray => {
  const list = createPieceList(keep)
  let last = '['
  let isEmpty = true
  const write = (piece: JsonPiece): void => {
    // Short pieces are joined; otherwise there would be thousands of them.
    if (pieceLength(piece) < PIECE_LENGTH) last += pieceText(piece)
    else {
      if (last !== '') list.add(last)
      last = ''
      list.add(piece)
    }
    if (last.length < PIECE_LENGTH) return
    list.add(last)
    last = ''
  }
  return {
    add: (...element) => {
      if (!isEmpty) last += ','
      isEmpty = false
      for (const piece of element) write(piece)
    },
    finish: () => {
      list.add(`${last}]`)
      return jsonPieces(list.pieces)
    },
  }
}
