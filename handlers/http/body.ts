const DECODER = new TextDecoder()

/**
 * The body as text, undefined when it is longer than `bytesMax`: told by its length before it is read, or found while
 * it comes, which stops reading.
 */
export const readBody = (request: Request, bytesMax: number): Promise<string | undefined> => {
  const length = request.headers.get('content-length')
  if (length !== null) {
    // The server reads no more than the announced length, so the short way is safe.
    return Number(length) <= bytesMax ? request.text() : Promise.resolve(undefined)
  }
  return request.body === null ? Promise.resolve('') : readStream(request.body, bytesMax)
}

const readStream = async (
  body: ReadableStream<Uint8Array>,
  bytesMax: number,
): Promise<string | undefined> => {
  const reader = body.getReader()
  const chunks: Uint8Array[] = []
  let length = 0
  for (;;) {
    const { done, value } = await reader.read()
    if (done) break
    length += value.length
    if (length > bytesMax) {
      await reader.cancel()
      return undefined
    }
    chunks.push(value)
  }
  const bytes = new Uint8Array(length)
  let offset = 0
  for (const chunk of chunks) {
    bytes.set(chunk, offset)
    offset += chunk.length
  }
  return DECODER.decode(bytes)
}
