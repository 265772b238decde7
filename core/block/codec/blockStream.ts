import { EMPTY_BYTES, joinBytes } from '../../bytes/bytes.ts'
import { DecodeError } from './error.ts'

/**
 * Most bytes of a block in a stream. devp2p messages have at most 16 MiB, so no chain has a larger block; a larger length
 * means a corrupt file, and reading such a block would fill the memory.
 */
export const STREAMED_BLOCK_BYTES_MAX = 32 * 1024 * 1024

const LIST_SHORT = 0xc0
const LIST_LONG = 0xf7

/**
 * Length in bytes of the block at `offset`, read from its list prefix; undefined while the prefix is incomplete.
 * @throws DecodeError when no RLP list begins there or it is longer than STREAMED_BLOCK_BYTES_MAX.
 */
export const nextBlockLength = (bytes: Uint8Array, offset = 0): number | undefined => {
  const first = bytes[offset]
  if (first === undefined) return undefined
  if (first < LIST_SHORT) throw new DecodeError('INVALID_BLOCK', 'a block must be an RLP list')
  if (first <= LIST_LONG) return 1 + first - LIST_SHORT
  const lengthBytes = first - LIST_LONG
  if (offset + 1 + lengthBytes > bytes.length) return undefined
  let length = 0
  for (let i = 1; i <= lengthBytes; i++) length = length * 256 + (bytes[offset + i] as number)
  if (length > STREAMED_BLOCK_BYTES_MAX)
    throw new DecodeError(
      'INVALID_BLOCK',
      `a block of ${length} bytes is longer than ${STREAMED_BLOCK_BYTES_MAX}`,
    )
  return 1 + lengthBytes + length
}

/** The RLP of a block as a copy, with its offset in the stream. */
export type BlockBytes = { readonly offset: number; readonly bytes: Uint8Array }

/**
 * Splits a stream of concatenated block RLP into blocks, independent of its chunks. Holds at most one block and one chunk.
 * @throws DecodeError with the offset of an item that is not a block, or of a block within which the stream ends
 */
export async function* splitBlocks(
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
): AsyncGenerator<BlockBytes, void, undefined> {
  let pending: Uint8Array[] = []
  let pendingBytes = 0
  let needed = 1
  let streamOffset = 0
  for await (const chunk of chunks) {
    if (chunk.length === 0) continue
    pending.push(chunk)
    pendingBytes += chunk.length
    if (pendingBytes < needed) continue
    const buffer = pending.length === 1 ? chunk : joinBytes(pending)
    let position = 0
    for (;;) {
      const length = lengthAt(buffer, position, streamOffset + position)
      needed = length ?? buffer.length - position + 1
      if (position + needed > buffer.length) break
      // A copy without `slice`, because the `slice` of a Buffer returns a view.
      yield {
        offset: streamOffset + position,
        bytes: new Uint8Array(buffer.subarray(position, position + needed)),
      }
      position += needed
    }
    streamOffset += position
    const rest = position === buffer.length ? EMPTY_BYTES : buffer.subarray(position)
    pending = rest.length === 0 ? [] : [rest]
    pendingBytes = rest.length
  }
  if (pendingBytes > 0)
    throw new DecodeError(
      'INVALID_BLOCK',
      `the file ends within the block at byte ${streamOffset}: ${pendingBytes} bytes of at least ${needed}`,
    )
}

const lengthAt = (buffer: Uint8Array, position: number, offset: number): number | undefined => {
  try {
    return nextBlockLength(buffer, position)
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error
    throw new DecodeError('INVALID_BLOCK', `byte ${offset}: ${error.message}`, { cause: error })
  }
}
