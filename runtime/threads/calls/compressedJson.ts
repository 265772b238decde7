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
const PACKED_BYTES_MIN = 4 * 1024

/** JSON bytes as kept in memory and as sent between threads. */
export type PackedBytes = {
  readonly packed: Uint8Array<ArrayBuffer>
  readonly isDeflated: boolean
  /** Length of the JSON. */
  readonly byteLength: number
}

const plain = (bytes: Uint8Array): PackedBytes => ({
  packed: new Uint8Array(bytes),
  isDeflated: false,
  byteLength: bytes.length,
})

const pack = (bytes: Uint8Array): PackedBytes => {
  if (bytes.length < PACKED_BYTES_MIN) return plain(bytes)
  const deflated = deflateRawSync(bytes, { level: LEVEL, chunkSize: bytes.length >> 3 })
  if (deflated.length >= bytes.length) return plain(bytes)
  return { packed: new Uint8Array(deflated), isDeflated: true, byteLength: bytes.length }
}

/** The packed form of kept bytes. */
const packedOf = new WeakMap<KeptBytes, PackedBytes>()

const keptOf = (packed: PackedBytes): KeptBytes => {
  const kept: KeptBytes = {
    byteLength: packed.byteLength,
    bytes: () =>
      packed.isDeflated
        ? (inflateRawSync(packed.packed, {
            chunkSize: packed.byteLength + SLACK_BYTES,
          }) as Uint8Array<ArrayBuffer>)
        : packed.packed,
  }
  packedOf.set(kept, packed)
  return kept
}

/** Compresses a response that waits to be sent, typically to a tenth. Costs about 1 ms per 256 KB each way. */
export const keepPacked: KeepBytes = bytes => keptOf(pack(bytes))

const encoder = new TextEncoder()

/** Packs pieces for another thread; packed pieces are reused. */
export const packPieces = (pieces: readonly JsonPiece[]): readonly PackedBytes[] =>
  pieces.map(piece => {
    if (typeof piece === 'string') return plain(encoder.encode(piece))
    return packedOf.get(piece) ?? plain(piece.bytes())
  })

/** Characters per piece of text; packing one takes about 1 ms. */
const PIECE_LENGTH = 256 * 1024

/** Packs a text for another thread without splitting surrogate pairs. */
export const packText = (text: string): readonly PackedBytes[] => {
  const packed: PackedBytes[] = []
  for (let at = 0; at < text.length; ) {
    const end = at + PIECE_LENGTH
    const cut = characterEnd(text, end)
    packed.push(pack(encoder.encode(text.slice(at, cut))))
    at = cut
  }
  return packed
}

/** Restores pieces that another thread packed. */
export const unpackPieces = (packed: readonly PackedBytes[]): JsonPieces => jsonPieces(packed.map(keptOf))
