import { createDeadlines, type Deadlines } from './deadlines.ts'
import { type ClaimBytes, SHORT_BODY_BYTES } from './inboundLimits.ts'

/** Longest body, where nothing else is said: Besu's. */
export const BODY_BYTES_MAX = 5 * 1024 * 1024

/** For a whole body, where nothing else is said: Besu's time for a whole request. */
const BODY_MS_MAX = 30_000

/** A client that sends nothing of its body for so long is given up, however much time there is for the whole request. */
export const BODY_IDLE_MS_MAX = 30_000

/**
 * Why there is no body: the client left, the body is longer than it may be, it did not come in time, it is compressed, which
 * no request may be, or the bodies of all requests together take too much memory.
 */
export type NoBody = {
  readonly reason: 'gone' | 'too-long' | 'late' | 'coded' | 'busy'
  readonly status: 400 | 413 | 408 | 415 | 503
}

const GONE: NoBody = { reason: 'gone', status: 400 }
const TOO_LONG: NoBody = { reason: 'too-long', status: 413 }
const LATE: NoBody = { reason: 'late', status: 408 }
const CODED: NoBody = { reason: 'coded', status: 415 }
const BUSY: NoBody = { reason: 'busy', status: 503 }

/** Of the answer to a request whose body was not read to its end: what still comes would be taken for the next request. */
export const CLOSING = { connection: 'close' }

/** Of the answer to a request that may be sent again in a second. */
export const RETRYING = { 'retry-after': '1', ...CLOSING }

/** The headers of the answer to a request without its body (RFC 9110, 15.5). */
const HEADERS: Readonly<Record<NoBody['reason'], Readonly<Record<string, string>>>> = {
  gone: {},
  'too-long': CLOSING,
  late: CLOSING,
  coded: { 'accept-encoding': 'identity' },
  busy: RETRYING,
}

/** The answer to a request without its body, where there is no more to say. */
export const refuseBody = ({ reason, status }: NoBody): Response =>
  new Response(null, { status, headers: HEADERS[reason] })

/** Reads the bodies of one endpoint. */
export type ReadBody = (request: Request, claim: ClaimBytes) => Promise<string | NoBody>

export type BodyOptions = {
  /** Longest body. */
  readonly bytesMax: number
  /** Time for a whole body. */
  readonly timeoutMs?: number
}

/**
 * Reads bodies as text. A body that is longer than it may be is refused by its announced length before it is read, or found
 * while it comes, which stops reading. Memory is claimed for what has come.
 */
export const createReadBody = ({ bytesMax, timeoutMs = BODY_MS_MAX }: BodyOptions): ReadBody => {
  const wholeDeadlines = createDeadlines(timeoutMs)
  const idleDeadlines = createDeadlines(Math.min(timeoutMs, BODY_IDLE_MS_MAX))
  return (request, claim) => {
    const coding = request.headers.get('content-encoding')
    if (coding !== null && coding !== '' && coding.toLowerCase() !== 'identity') return Promise.resolve(CODED)
    const announced = request.headers.get('content-length')
    // The server reads no more than the announced length.
    if (announced !== null && Number(announced) > bytesMax) return Promise.resolve(TOO_LONG)
    if (announced !== null && Number(announced) <= SHORT_BODY_BYTES)
      return claim(Number(announced)) ? readShort(request, idleDeadlines) : Promise.resolve(BUSY)
    if (request.body === null) return Promise.resolve('')
    const limits = { bytesMax, claim, wholeDeadlines, idleDeadlines }
    return readChunks(request.body, limits)
  }
}

const readShort = (request: Request, deadlines: Deadlines): Promise<string | NoBody> =>
  new Promise(resolve => {
    const isOver = deadlines.begin(() => resolve(LATE))
    const answer = (body: string | NoBody): void => {
      isOver()
      resolve(body)
    }
    request.text().then(answer, () => answer(GONE))
  })

type ChunkLimits = {
  readonly bytesMax: number
  readonly claim: ClaimBytes
  readonly wholeDeadlines: Deadlines
  readonly idleDeadlines: Deadlines
}

/** Decodes each chunk as it comes, so that no long text is decoded in one go. */
const readChunks = (
  body: ReadableStream<Uint8Array>,
  { bytesMax, claim, wholeDeadlines, idleDeadlines }: ChunkLimits,
): Promise<string | NoBody> =>
  new Promise(resolve => {
    const reader = body.getReader()
    const decoder = new TextDecoder()
    let text = ''
    let length = 0
    let isEnded = false

    const end = (result: string | NoBody): void => {
      if (isEnded) return
      isEnded = true
      isInTime()
      isSending()
      text = ''
      // The stream of a client that left is in error already.
      if (typeof result !== 'string') reader.cancel().catch(() => undefined)
      resolve(result)
    }
    const isInTime = wholeDeadlines.begin(() => end(LATE))
    let isSending = idleDeadlines.begin(() => end(LATE))

    const take = (chunk: Uint8Array): void => {
      isSending()
      isSending = idleDeadlines.begin(() => end(LATE))
      length += chunk.length
      if (length > bytesMax) return end(TOO_LONG)
      if (!claim(chunk.length)) return end(BUSY)
      text += decoder.decode(chunk, { stream: true })
    }
    const pump = async (): Promise<void> => {
      for (;;) {
        const { done, value } = await reader.read()
        if (done) return end(text + decoder.decode())
        if (isEnded) return
        take(value)
      }
    }
    pump().catch(() => end(GONE))
  })
