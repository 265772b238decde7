import type { Stream } from '@libp2p/interface'
import { joinBytes } from '../../core/bytes/bytes.ts'
import type { YieldTurn } from '../../core/scheduler.ts'
import { NetworkError } from '../error.ts'
import type { NetworkHandlers } from '../network.ts'
import type { PeerConnection } from '../peers/connection.ts'
import { answerList, type ListLimits, requestList } from '../transport/lists.ts'
import { decodeRangeRequest, encodeRangeRequest, RANGE_REQUEST_BYTES } from './rangeRequest.ts'

/*
 * Records are blocks with their receipts and state changes (core/store/segments), from which a node builds its state without
 * executing them. Each is sent in pieces: a byte that is 1 in the last piece of a record, then a part of the record.
 */

/** In the status of a node that answers such requests. */
export const RECORDS_FEATURE = 'records/1'

/** Records of one request. */
export const RECORDS_MAX = 256
/** Bytes of one piece, without its first byte. */
const PIECE_BYTES_MAX = 256 * 1024
/** Length of a record: the largest blocks with all receipts and changes stay below it. Longer ones are not sent. */
const RECORD_BYTES_MAX = 64 * 1024 * 1024
/** An answer ends with the piece that exceeds this. */
const ANSWER_BYTES_MAX = RECORD_BYTES_MAX + 2 * PIECE_BYTES_MAX
/** The sender adds no record after these bytes: the requester asks for the rest. */
const RECORDS_BYTES = 8 * 1024 * 1024
/** Concurrent requests of one peer, in each direction. */
export const RECORDS_AT_ONCE_MAX = 2

const LIMITS: ListLimits = {
  requestBytesMax: RANGE_REQUEST_BYTES,
  itemBytesMax: PIECE_BYTES_MAX + 1,
  bytesMax: ANSWER_BYTES_MAX,
}

/** The most pieces of an answer: those of its bytes, and one incomplete piece of each record. */
const PIECES_MAX = Math.ceil(ANSWER_BYTES_MAX / PIECE_BYTES_MAX) + RECORDS_MAX

/** The pieces of a record. */
export function* piecesOf(record: Uint8Array): Generator<Uint8Array> {
  for (let at = 0; at < record.length; at += PIECE_BYTES_MAX) {
    const part = record.subarray(at, at + PIECE_BYTES_MAX)
    const piece = new Uint8Array(1 + part.length)
    piece[0] = at + PIECE_BYTES_MAX >= record.length ? 1 : 0
    piece.set(part, 1)
    yield piece
  }
}

/** Joins pieces to records. @throws NetworkError for a record that is too long or incomplete */
export async function* joinPieces(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let parts: Uint8Array[] = []
  let length = 0
  for await (const piece of pieces) {
    if (piece.length < 2 || (piece[0] as number) > 1)
      throw new NetworkError('BAD_MESSAGE', 'a piece of a record without its first byte')
    parts.push(piece.subarray(1))
    length += piece.length - 1
    if (length > RECORD_BYTES_MAX)
      throw new NetworkError('OVERSIZED', `a record of more than ${RECORD_BYTES_MAX} bytes`)
    if (piece[0] === 0) continue
    const record = joinBytes(parts)
    parts = []
    length = 0
    yield record
  }
  if (parts.length > 0) throw new NetworkError('BAD_MESSAGE', 'an incomplete record')
}

/**
 * Yields the pieces of up to `count` records from `from` on, in ascending order, as they arrive.
 * @throws NetworkError when the peer disconnects, is silent, or sends too much
 */
export const requestRecords = (
  { libp2p }: PeerConnection,
  protocol: string,
  from: bigint,
  count: number,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array, void, undefined> => {
  const request = encodeRangeRequest({ from, count: Math.min(count, RECORDS_MAX) })
  return requestList(libp2p, protocol, request, { ...LIMITS, itemsMax: PIECES_MAX }, signal)
}

/** The pieces of the records, up to the limit of an answer; a record that is too long ends them. */
async function* answerPieces(records: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let sent = 0
  for await (const record of records) {
    if (record.length > RECORD_BYTES_MAX) return
    yield* piecesOf(record)
    sent += record.length
    if (sent >= RECORDS_BYTES) return
  }
}

/** Answers one request on its stream. @throws what `records` throws, and NetworkError when the peer disconnects */
export const answerRecords = (
  stream: Stream,
  records: NetworkHandlers['records'],
  pause: YieldTurn,
): Promise<void> =>
  answerList(
    stream,
    LIMITS,
    request => {
      const { from, count } = decodeRangeRequest(request)
      return answerPieces(records(from, Math.min(count, RECORDS_MAX)))
    },
    pause,
  )
