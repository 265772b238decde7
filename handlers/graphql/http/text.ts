import type { YieldTurn } from '../../../core/scheduler.ts'

/** Values between two reads of the clock. */
const STEP_VALUES = 256

/** Length of a piece: written in a fraction of a millisecond. */
const PIECE_CHARACTERS = 64 * 1024

const isNested = (value: unknown): value is object => typeof value === 'object' && value !== null

/** JSON text in small parts; an object or list of scalars is one part. */
function* parts(value: unknown): Generator<string, void> {
  if (!isNested(value)) {
    yield JSON.stringify(value) ?? 'null'
    return
  }
  if (!Object.values(value).some(isNested)) {
    yield JSON.stringify(value)
    return
  }
  let separator = ''
  if (Array.isArray(value)) {
    yield '['
    for (const item of value as readonly unknown[]) {
      yield separator
      yield* parts(item)
      separator = ','
    }
    yield ']'
    return
  }
  yield '{'
  for (const [name, member] of Object.entries(value)) {
    yield `${separator}${JSON.stringify(name)}:`
    yield* parts(member)
    separator = ','
  }
  yield '}'
}

/** JSON text in pieces, written in slices so that a long answer does not block the event loop. */
export const jsonPiecesOf = async (value: unknown, yieldTurn: YieldTurn): Promise<readonly string[]> => {
  const pieces: string[] = []
  let piece = ''
  let count = 0
  for (const part of parts(value)) {
    piece += part
    if (piece.length >= PIECE_CHARACTERS) {
      pieces.push(piece)
      piece = ''
    }
    if (++count % STEP_VALUES === 0) await yieldTurn()
  }
  pieces.push(piece)
  return pieces
}
