import type { Scheduler } from '../../core/scheduler.ts'
import { createDeadlines, type Deadlines } from './deadlines.ts'
import { type ClaimBytes, SHORT_BODY_BYTES } from './inboundLimits.ts'

/** Default limit of a body, as in Besu. */
export const BODY_BYTES_MAX = 5 * 1024 * 1024

/**
 * The longest body that may be configured. Bun, Node and Deno join the text of a body in one piece before its first character
 * is read: measured, 32 MiB take 30 ms of the event loop, 64 MiB up to 60 ms.
 */
export const BODY_BYTES_LIMIT = 32 * 1024 * 1024

/** Default time for a whole body: Besu's time for a whole request. */
const BODY_MS_MAX = 30_000

/** A client that sends nothing for this long is disconnected, even if the time for the whole body is longer. */
const BODY_IDLE_MS_MAX = 30_000

/**
 * Why a body was not read: the client disconnected, the body is too long, it did not arrive in time, it is compressed (not
 * supported), or the bodies of all requests take too much memory.
 */
export type NoBody = {
  readonly reason: 'disconnected' | 'too-long' | 'late' | 'encoded' | 'busy'
  readonly status: 400 | 413 | 408 | 415 | 503
}

const DISCONNECTED: NoBody = { reason: 'disconnected', status: 400 }
const TOO_LONG: NoBody = { reason: 'too-long', status: 413 }
const LATE: NoBody = { reason: 'late', status: 408 }
const ENCODED: NoBody = { reason: 'encoded', status: 415 }
const BUSY: NoBody = { reason: 'busy', status: 503 }

/**
 * Header of the answer to a request whose body was not read completely: the server would read the rest as the next request.
 */
export const CLOSING = { connection: 'close' }

/** Headers of the answer to a request that may be repeated in a second. */
export const RETRYING = { 'retry-after': '1', ...CLOSING }

/** Headers of the answer, by the reason (RFC 9110, 15.5). */
const HEADERS: Readonly<Record<NoBody['reason'], Readonly<Record<string, string>>>> = {
  disconnected: {},
  'too-long': CLOSING,
  late: CLOSING,
  encoded: { 'accept-encoding': 'identity' },
  busy: RETRYING,
}

/** The answer to a request whose body was not read. */
export const refuseBody = ({ reason, status }: NoBody): Response =>
  new Response(null, { status, headers: HEADERS[reason] })

/** Reads the bodies of one endpoint. */
export type ReadBody = (request: Request, claim: ClaimBytes) => Promise<string | NoBody>

export type BodyOptions = {
  /** Limit of a body. */
  readonly bytesMax: number
  /** Time for a whole body. */
  readonly timeoutMs?: number
  /** Shares the event loop among long bodies; needed where `bytesMax` is more than a short body. */
  readonly scheduler?: Pick<Scheduler, 'begin'>
}

/** The length of the body by its header; undefined without one, or for a text that a server in front let through. */
const announcedLength = (request: Request): number | undefined => {
  const text = request.headers.get('content-length')
  return text !== null && /^\d{1,15}$/.test(text) ? Number(text) : undefined
}

/**
 * Reads bodies as text. A body that is too long is refused by its announced length, or while it is read. Memory is claimed for the
 * announced length before anything is read: the runtimes read ahead of what this node asks for, of all connections in one turn
 * of the event loop. Measured on Bun, 600 bodies of 5 MiB at once took 2 GB and turns of a second, and take some milliseconds when
 * those beyond the limit are refused by their headers.
 */
export const createReadBody = ({ bytesMax, timeoutMs = BODY_MS_MAX, scheduler }: BodyOptions): ReadBody => {
  const wholeDeadlines = createDeadlines(timeoutMs)
  const idleDeadlines = createDeadlines(Math.min(timeoutMs, BODY_IDLE_MS_MAX))
  return (request, claim) => {
    const coding = request.headers.get('content-encoding')
    if (coding !== null && coding !== '' && coding.toLowerCase() !== 'identity')
      return Promise.resolve(ENCODED)
    const announced = announcedLength(request)
    // The server reads no more than the announced length.
    if (announced !== undefined && announced > bytesMax) return Promise.resolve(TOO_LONG)
    if (announced !== undefined && announced <= SHORT_BODY_BYTES)
      return claim(announced) ? readShort(request, idleDeadlines) : Promise.resolve(BUSY)
    if (request.body === null) return Promise.resolve('')
    const claimed = announced ?? 0
    if (!claim(claimed)) return Promise.resolve(BUSY)
    const limits = { bytesMax, claim, claimed, scheduler, wholeDeadlines, idleDeadlines }
    return readChunks(request.body, limits)
  }
}

const readShort = (request: Request, deadlines: Deadlines): Promise<string | NoBody> =>
  new Promise(resolve => {
    const cancelDeadline = deadlines.begin(() => resolve(LATE))
    const answer = (body: string | NoBody): void => {
      cancelDeadline()
      resolve(body)
    }
    request.text().then(answer, () => answer(DISCONNECTED))
  })

type ChunkLimits = {
  readonly bytesMax: number
  readonly claim: ClaimBytes
  /** Bytes of this body that are claimed already. */
  readonly claimed: number
  readonly scheduler: BodyOptions['scheduler']
  readonly wholeDeadlines: Deadlines
  readonly idleDeadlines: Deadlines
}

/**
 * Decodes each chunk as it arrives, so that no long text is decoded at once. Chunks are read, and counted, before it is their turn to
 * be decoded: the runtime would otherwise go on to collect what nobody counts.
 */
const readChunks = (body: ReadableStream<Uint8Array>, limits: ChunkLimits): Promise<string | NoBody> =>
  new Promise(resolve => {
    const { bytesMax, claim, scheduler, wholeDeadlines, idleDeadlines } = limits
    const reader = body.getReader()
    const decoder = new TextDecoder()
    const chunks: Uint8Array[] = []
    let text = ''
    let { claimed } = limits
    let length = 0
    let isEnded = false

    const end = (result: string | NoBody): void => {
      if (isEnded) return
      isEnded = true
      cancelWhole()
      cancelIdle()
      text = ''
      chunks.length = 0
      // The stream of a disconnected client has failed already.
      if (typeof result !== 'string') reader.cancel().catch(() => undefined)
      resolve(result)
    }
    const cancelWhole = wholeDeadlines.begin(() => end(LATE))
    let cancelIdle = idleDeadlines.begin(() => end(LATE))

    const decodeInTurn = async (): Promise<void> => {
      while (chunks.length > 0) {
        // Many long bodies that arrive together would otherwise hold the event loop for the time of all.
        const turn = scheduler?.begin()
        if (turn !== undefined) await turn
        const chunk = chunks.shift()
        if (chunk !== undefined) text += decoder.decode(chunk, { stream: true })
      }
    }
    const take = (chunk: Uint8Array): void => {
      cancelIdle()
      cancelIdle = idleDeadlines.begin(() => end(LATE))
      length += chunk.length
      if (length > bytesMax) return end(TOO_LONG)
      if (length > claimed) {
        // Nobody knows how long a body is that is sent in chunks.
        const wanted = length <= SHORT_BODY_BYTES ? SHORT_BODY_BYTES : bytesMax
        if (!claim(wanted - claimed)) return end(BUSY)
        claimed = wanted
      }
      chunks.push(chunk)
    }
    const pump = async (): Promise<void> => {
      let decoding: Promise<void> | undefined
      for (;;) {
        const { done, value } = await reader.read()
        if (isEnded) return
        if (done) break
        take(value)
        if (chunks.length === 1) decoding = decodeInTurn()
      }
      await decoding
      claim(length - claimed)
      end(text + decoder.decode())
    }
    pump().catch(() => end(DISCONNECTED))
  })
