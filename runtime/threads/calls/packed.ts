import { deflateRawSync, inflateRawSync } from 'node:zlib'
import {
  type JsonPiece,
  type JsonPieces,
  jsonPieces,
  type KeepBytes,
  type KeptBytes,
} from '../../../handlers/rpc/json/jsonPieces.ts'

/** A buffer that is filled to its end is followed by another one. */
const ROOM_BYTES = 64

/** JSON repeats itself: most of what can be won is won with the least work. */
const LEVEL = 1

/** Less is not worth the work. */
const PACKED_BYTES_MIN = 4 * 1024

/** Bytes of JSON as they are held in memory, and as they pass from thread to thread. */
export type PackedBytes = {
  readonly packed: Uint8Array<ArrayBuffer>
  readonly isDeflated: boolean
  /** Of the JSON. */
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

/** Of what was kept here, that which is in memory. */
const packedOf = new WeakMap<KeptBytes, PackedBytes>()

const keptOf = (packed: PackedBytes): KeptBytes => {
  const kept: KeptBytes = {
    byteLength: packed.byteLength,
    bytes: () =>
      packed.isDeflated
        ? (inflateRawSync(packed.packed, {
            chunkSize: packed.byteLength + ROOM_BYTES,
          }) as Uint8Array<ArrayBuffer>)
        : packed.packed,
  }
  packedOf.set(kept, packed)
  return kept
}

/** Keeps what waits to be sent in a tenth of the memory or less, for a millisecond or so of each 256 KB, twice. */
export const keepPacked: KeepBytes = bytes => keptOf(pack(bytes))

const encoder = new TextEncoder()

/** For another thread; what is packed already stays so. */
export const packPieces = (pieces: readonly JsonPiece[]): readonly PackedBytes[] =>
  pieces.map(piece => {
    if (typeof piece === 'string') return plain(encoder.encode(piece))
    return packedOf.get(piece) ?? plain(piece.bytes())
  })

/** Characters of a piece of a text: packed in a millisecond or so. */
const PIECE_LENGTH = 256 * 1024

const isHighSurrogate = (code: number): boolean => (code & 0xfc00) === 0xd800

/** For another thread; no character is cut in two. */
export const packText = (text: string): readonly PackedBytes[] => {
  const packed: PackedBytes[] = []
  for (let at = 0; at < text.length; ) {
    const end = at + PIECE_LENGTH
    const cut = isHighSurrogate(text.charCodeAt(end - 1)) ? end + 1 : end
    packed.push(pack(encoder.encode(text.slice(at, cut))))
    at = cut
  }
  return packed
}

/** What another thread has packed. */
export const unpackPieces = (packed: readonly PackedBytes[]): JsonPieces => jsonPieces(packed.map(keptOf))
