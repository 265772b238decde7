import { characterEnd } from '../../../core/text/characterEnd.ts'
import { deflateRawSync, inflateRawSync } from 'node:zlib'
import {
  type JsonPiece,
  type JsonPieces,
  jsonPieces,
  type KeepBytes,
  type KeptBytes,
} from '../../../handlers/rpc/json/jsonPieces.ts'

/** Extra room for zlib, which allocates another buffer once one is full. */
const SLACK_BYTES = 64

/** Compression level: the fastest one already compresses JSON well. */
const LEVEL = 1

/** Smaller pieces are not compressed. */
const COMPRESSED_BYTES_MIN = 4 * 1024

/** JSON bytes as kept in memory and as sent between threads. */
export type CompressedPiece = {
  readonly data: Uint8Array<ArrayBuffer>
  readonly isDeflated: boolean
  /** Length of the JSON. */
  readonly byteLength: number
}

const plain = (bytes: Uint8Array): CompressedPiece => ({
  data: new Uint8Array(bytes),
  isDeflated: false,
  byteLength: bytes.length,
})

const compress = (bytes: Uint8Array): CompressedPiece => {
  if (bytes.length < COMPRESSED_BYTES_MIN) return plain(bytes)
  const deflated = deflateRawSync(bytes, { level: LEVEL, chunkSize: bytes.length >> 3 })
  if (deflated.length >= bytes.length) return plain(bytes)
  return { data: new Uint8Array(deflated), isDeflated: true, byteLength: bytes.length }
}

/** The compressed form of kept bytes. */
const compressedOf = new WeakMap<KeptBytes, CompressedPiece>()

const keptOf = (piece: CompressedPiece): KeptBytes => {
  const kept: KeptBytes = {
    byteLength: piece.byteLength,
    bytes: () =>
      piece.isDeflated
        ? (inflateRawSync(piece.data, {
            chunkSize: piece.byteLength + SLACK_BYTES,
          }) as Uint8Array<ArrayBuffer>)
        : piece.data,
  }
  compressedOf.set(kept, piece)
  return kept
}

/** Compresses a response that waits to be sent, typically to a tenth. Costs about 1 ms per 256 KB each way. */
export const keepCompressed: KeepBytes = bytes => keptOf(compress(bytes))

const encoder = new TextEncoder()

/** Pieces for another thread; those that are kept compressed are sent as they are. */
export const compressPieces = (pieces: readonly JsonPiece[]): readonly CompressedPiece[] =>
  pieces.map(piece => {
    if (typeof piece === 'string') return plain(encoder.encode(piece))
    return compressedOf.get(piece) ?? plain(piece.bytes())
  })

/** Characters per piece of text; compressing one takes about 1 ms. */
const PIECE_LENGTH = 256 * 1024

/** Compresses a text for another thread, without splitting surrogate pairs. */
export const compressText = (text: string): readonly CompressedPiece[] => {
  const compressed: CompressedPiece[] = []
  for (let at = 0; at < text.length; ) {
    const end = at + PIECE_LENGTH
    const cut = characterEnd(text, end)
    compressed.push(compress(encoder.encode(text.slice(at, cut))))
    at = cut
  }
  return compressed
}

/** Restores pieces of another thread. */
export const restorePieces = (pieces: readonly CompressedPiece[]): JsonPieces =>
  jsonPieces(pieces.map(keptOf))
