import { joinBytes } from '../../core/bytes/bytes.ts'

/** Longest beginning of an unexpected answer in a message. */
const SHOWN_BYTES_MAX = 300

/** The beginning of a body, as text for a message; the rest is not read. */
export const beginningOf = async ({ body }: Pick<Response, 'body'>): Promise<string> => {
  if (body === null) return ''
  const reader = body.getReader()
  const parts: Uint8Array[] = []
  let length = 0
  while (length < SHOWN_BYTES_MAX) {
    const { done, value } = await reader.read()
    if (done) break
    length += value.length
    parts.push(value)
  }
  // An error of the rest says nothing about what was read.
  await reader.cancel().catch(() => undefined)
  return new TextDecoder().decode(joinBytes(parts).subarray(0, SHOWN_BYTES_MAX)).trim()
}

/**
 * Reads a body of a request or an answer, whose sender may lie about its length or never end.
 * @returns undefined for a longer body, whose rest is not read
 */
export const limitedBytes = async (
  { body }: Pick<Response, 'body'>,
  bytesMax: number,
): Promise<Uint8Array | undefined> => {
  if (body === null) return new Uint8Array(0)
  const reader = body.getReader()
  const parts: Uint8Array[] = []
  let length = 0
  for (;;) {
    const { done, value } = await reader.read()
    if (done) break
    length += value.length
    if (length > bytesMax) {
      // The body is of no use any more, and neither is an error of its end.
      await reader.cancel().catch(() => undefined)
      return undefined
    }
    parts.push(value)
  }
  return joinBytes(parts)
}
