import { joinBytes } from '../../core/bytes/bytes.ts'
import { createBodyUnits, SHORT_CHUNK_BYTES } from '../../handlers/inbound/bodyUnits.ts'
import { openChunkReader } from '../../handlers/inbound/chunkReader.ts'
import { onNextTurn } from '../../handlers/inbound/nextTurn.ts'

/** Longest beginning of an unexpected answer in a message. */
const SHOWN_BYTES_MAX = 300

/** Chunks that are read in one turn of the event loop: they take some milliseconds, however short they are. */
const TURN_CHUNKS = 1_024

/** A body comes in more chunks of a few bytes than a body of that length may have. */
class TooManyChunks extends Error {
  override readonly name = 'TooManyChunks'
  readonly code = 'TOO_MANY_CHUNKS'

  constructor() {
    super(`it comes in too many chunks of less than ${SHORT_CHUNK_BYTES} bytes`)
  }
}

/** The beginning of a body, as text for a message; the rest is not read. */
export const beginningOf = async ({ body }: Pick<Response, 'body'>): Promise<string> => {
  if (body === null) return ''
  const reader = openChunkReader(body)
  const parts: Uint8Array[] = []
  let length = 0
  while (length < SHOWN_BYTES_MAX) {
    const chunk = await reader.read()
    if (chunk === undefined) break
    length += chunk.length
    parts.push(chunk)
  }
  // An error of the rest says nothing about what was read.
  await reader.cancel().catch(() => undefined)
  return new TextDecoder().decode(joinBytes(parts).subarray(0, SHOWN_BYTES_MAX)).trim()
}

/**
 * Reads a body of a request or an answer, whose sender may lie about its length or never end.
 * @param claim called with the length of each part; false where that is too much, too
 * @returns undefined for a longer body, whose rest is not read
 * @throws TooManyChunks
 */
export const limitedBytes = async (
  { body }: Pick<Response, 'body'>,
  bytesMax: number,
  claim: (length: number) => boolean = () => true,
): Promise<Uint8Array | undefined> => {
  if (body === null) return new Uint8Array(0)
  const reader = openChunkReader(body)
  const units = createBodyUnits(bytesMax)
  // An operator chose the sender, or it has shown a secret.
  units.identify()
  const parts: Uint8Array[] = []
  let length = 0
  for (;;) {
    const chunk = await reader.read()
    if (chunk === undefined) break
    length += chunk.length
    const isRefused = units.take(chunk.length) !== 'taken'
    if (length > bytesMax || isRefused || !claim(chunk.length)) {
      // The body is of no use any more, and neither is an error of its end.
      await reader.cancel().catch(() => undefined)
      if (isRefused) throw new TooManyChunks()
      return undefined
    }
    parts.push(chunk)
    if (parts.length % TURN_CHUNKS === 0) await new Promise<void>(onNextTurn)
  }
  return joinBytes(parts)
}
