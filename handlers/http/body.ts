import { createDeadlines, type Deadlines } from '../rpc/deadlines.ts'

const DECODER = new TextDecoder()

/** For a body to be there, where nothing else is said: Besu's time for a whole request. */
const BODY_MS_MAX = 30_000

/**
 * Why there is no body: nobody is there to be told more, or it is longer than may be, or did not come in time, or is
 * compressed, which no request may be.
 */
export type NoBody = {
  readonly reason: 'gone' | 'too-long' | 'late' | 'coded'
  readonly status: 400 | 413 | 408 | 415
}

const GONE: NoBody = { reason: 'gone', status: 400 }
const TOO_LONG: NoBody = { reason: 'too-long', status: 413 }
const LATE: NoBody = { reason: 'late', status: 408 }
const CODED: NoBody = { reason: 'coded', status: 415 }

/** What may be said of a body's coding (RFC 9110, 15.5.16). */
const UNCODED = { 'accept-encoding': 'identity' }

const DEADLINES = createDeadlines(BODY_MS_MAX)

/** Of the answer to one that was late: what still comes would be taken for the next request. */
export const CLOSING = { connection: 'close' }

/** The answer to a request without its body, where there is no more to say. */
export const refuseBody = ({ reason, status }: NoBody): Response => {
  if (reason === 'late') return new Response(null, { status, headers: CLOSING })
  return new Response(null, reason === 'coded' ? { status, headers: UNCODED } : { status })
}

/**
 * The body as text. One that is longer than `bytesMax` is told by its length before it is read, or found while it comes,
 * which stops reading; one that does not come is waited for as long as the deadlines say.
 */
export const readBody = (
  request: Request,
  bytesMax: number,
  deadlines: Deadlines = DEADLINES,
): Promise<string | NoBody> => {
  const coding = request.headers.get('content-encoding')
  if (coding !== null && coding !== '' && coding.toLowerCase() !== 'identity') return Promise.resolve(CODED)
  const length = request.headers.get('content-length')
  // The server reads no more than the announced length, so the short way is safe.
  if (length !== null && Number(length) > bytesMax) return Promise.resolve(TOO_LONG)
  if (length === null && request.body === null) return Promise.resolve('')
  const reading = length === null ? readStream(request.body as ReadableStream, bytesMax) : request.text()
  return new Promise(resolve => {
    const isOver = deadlines.begin(() => resolve(LATE))
    const answer = (body: string | NoBody): void => {
      isOver()
      resolve(body)
    }
    reading.then(
      body => answer(body ?? TOO_LONG),
      () => answer(GONE),
    )
  })
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
