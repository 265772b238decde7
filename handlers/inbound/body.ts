import type { Scheduler } from '../../core/scheduler.ts'
import { bodyUnitsOf, createBodyUnits } from './bodyUnits.ts'
import { createReadChunks } from './chunkedBody.ts'
import { createDeadlines, type Deadlines } from './deadlines.ts'
import { type ClaimBytes, SHORT_BODY_BYTES } from './inboundLimits.ts'
import { BUSY, DISCONNECTED, ENCODED, LATE, type NoBody, TOO_LONG } from './noBody.ts'

export type { NoBody } from './noBody.ts'

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
 * Header of the answer to a request whose body was not read completely: the server would read the rest as the next request.
 */
export const CLOSING = { connection: 'close' }

/** Headers of the answer to a request that may be repeated in a second. */
export const RETRYING = { 'retry-after': '1', ...CLOSING }

/** Headers of the answer, by the reason (RFC 9110, 15.5). */
const HEADERS: Readonly<Record<NoBody['reason'], Readonly<Record<string, string>>>> = {
  disconnected: {},
  'too-long': CLOSING,
  'too-many-chunks': CLOSING,
  late: CLOSING,
  encoded: { 'accept-encoding': 'identity' },
  busy: RETRYING,
}

/** The answer to a request whose body was not read. */
export const refuseBody = ({ reason, status }: NoBody): Response =>
  new Response(null, { status, headers: HEADERS[reason] })

/** Reads the bodies of one endpoint. */
export type ReadBody = (
  request: Request,
  claim: ClaimBytes,
  /** The caller has shown who they are. */
  isKnown?: boolean,
) => Promise<string | NoBody>

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
  const idleMs = Math.min(timeoutMs, BODY_IDLE_MS_MAX)
  const idleDeadlines = createDeadlines(idleMs)
  const readChunks = createReadChunks({ bytesMax, scheduler, timeoutMs, idleMs, idleDeadlines })
  return (request, claim, isKnown = false) => {
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
    const counted = bodyUnitsOf(request)
    const units = counted ?? createBodyUnits(bytesMax)
    if (isKnown) units.identify()
    return readChunks(request.body, { claim, claimed, units, isCounted: counted !== undefined })
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
