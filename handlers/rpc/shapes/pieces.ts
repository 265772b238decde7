import type { BlockRecord } from '../../../core/store/store.ts'
import {
  createJsonArray,
  createPieceList,
  type JsonPiece,
  type JsonPieces,
  jsonPieces,
  type KeepBytes,
  PIECE_LENGTH,
} from '../json/jsonPieces.ts'
import type { RpcContext } from '../context.ts'
import type { YieldTurn } from '../../../core/scheduler.ts'
import { type BlockShapeOptions, blockShapeWith, blockTransaction } from './block.ts'

/** Elements of an answer between two reads of the clock: a millisecond or two. */
export const STEP_ELEMENTS = 64

export type PieceHost = { readonly yieldTurn: YieldTurn; readonly keep: KeepBytes | undefined }

export const pieceHost = ({ scheduler, keep }: RpcContext): PieceHost => ({
  yieldTurn: scheduler.createYield(),
  keep,
})

/** The JSON of a list, built a few elements at a time. */
export const listPieces = async (
  length: number,
  elementAt: (index: number) => unknown,
  { yieldTurn, keep }: PieceHost,
): Promise<JsonPieces> => {
  const elements = createJsonArray(keep)
  for (let index = 0; index < length; index++) {
    if (index % STEP_ELEMENTS === 0) await yieldTurn()
    elements.add(JSON.stringify(elementAt(index)))
  }
  return elements.finish()
}

/** JSON text from short parts, joined a few at a time. */
export const textPieces = async (
  parts: Iterable<string>,
  { yieldTurn, keep }: PieceHost,
): Promise<JsonPieces> => {
  const list = createPieceList(keep)
  let text = ''
  let count = 0
  for (const part of parts) {
    text += part
    if (text.length >= PIECE_LENGTH) {
      list.add(text)
      text = ''
    }
    if (++count % STEP_ELEMENTS === 0) await yieldTurn()
  }
  list.add(text)
  return jsonPieces(list.pieces)
}

/** Like blockShape, the JSON of a block, built a few transactions at a time. */
export const blockPieces = async (
  record: BlockRecord,
  options: BlockShapeOptions,
  host: PieceHost,
): Promise<JsonPieces> => {
  const members = Object.entries(blockShapeWith(record, options, []))
  const pieces: JsonPiece[] = []
  let text = '{'
  for (const [index, [name, value]] of members.entries()) {
    text += `${index === 0 ? '' : ','}${JSON.stringify(name)}:`
    if (name !== 'transactions') {
      text += JSON.stringify(value)
      continue
    }
    const { transactions } = record.block
    const list = await listPieces(transactions.length, at => blockTransaction(record, options, at), host)
    pieces.push(text, ...list.pieces)
    text = ''
  }
  pieces.push(`${text}}`)
  return jsonPieces(pieces)
}
