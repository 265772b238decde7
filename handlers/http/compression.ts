import { characterEnd } from '../../core/text/characterEnd.ts'
import { bodyLength, type ReplyBody } from '../rpc/dispatch/envelope.ts'
import { type Coding, type CodingChoice, chooseCoding } from './compressionChoice.ts'
import type { Scheduler } from '../../core/scheduler.ts'
import type { AnswerMemory } from '../rpc/answerMemory.ts'
import { streamOf } from './stream.ts'

/** Shortest answer that is compressed, in characters: a shorter one is sent before the first acknowledgement is needed. */
export const COMPRESSED_LENGTH_MIN = 16 * 1024

/**
 * The same for clients on this machine, where compression only costs: a block of a hundred transactions is read two to ten
 * times as fast without. Most HTTP libraries request compression by default.
 */
export const COMPRESSED_LENGTH_MIN_HERE = 128 * 1024

/** Concurrent compressions, each with a third of a megabyte of state; further answers are sent uncompressed. */
export const COMPRESSIONS_MAX = 32

/** Characters compressed in one step, in about a millisecond. */
const PART_LENGTH = 64 * 1024

/** Bytes compressed in one turn of the event loop, so that other requests wait for some milliseconds only. */
const TURN_BYTES = 128 * 1024

const PLAIN: CodingChoice = { coding: undefined, isCodingWanted: false }

/** Tests whether the client, not just its proxy, is on this machine. */
const isHere = ({ headers }: CompressedRequest, peer: () => string): boolean =>
  /^(?:::ffff:)?127\.|^::1$/.test(peer()) && !headers.has('x-forwarded-for')

/** Splits the body into parts of nearly the same length, lazily; no character is split. */
function* partsOf(body: ReplyBody): Generator<string | Uint8Array<ArrayBuffer>> {
  let rest = ''
  for (const piece of typeof body === 'string' ? [body] : body) {
    if (typeof piece !== 'string') {
      if (rest !== '') yield rest
      rest = ''
      const bytes = piece.bytes()
      for (let at = 0; at < bytes.length; at += PART_LENGTH) yield bytes.subarray(at, at + PART_LENGTH)
      continue
    }
    let start = 0
    while (rest.length + piece.length - start > PART_LENGTH) {
      const end = start + PART_LENGTH - rest.length
      const cut = characterEnd(piece, end)
      yield rest + piece.slice(start, cut)
      rest = ''
      start = cut
    }
    rest += piece.slice(start)
  }
  if (rest !== '') yield rest
}

/** The part of a request that is read. */
type CompressedRequest = { readonly headers: Pick<Headers, 'get' | 'has'> }

export type Compression = {
  /**
   * Creates a response with a non-empty body: compressed where the client accepts it, the body is long, and fewer than
   * COMPRESSIONS_MAX are in progress.
   * @param peer returns the address of the other end of the connection.
   */
  respond(body: ReplyBody, request: CompressedRequest, peer: () => string, init: CompressedInit): Response
}

export type CompressedInit = { readonly status: number; readonly headers: Readonly<Record<string, string>> }

/**
 * Compresses the answers of one endpoint.
 * @param isOn false where the platform compresses them for the client @param answers counts what is being sent
 */
export const createCompression = (
  scheduler: Scheduler,
  isOn = true,
  answers?: Pick<AnswerMemory, 'hold'>,
): Compression => {
  let underWay = 0
  // The last choice is cached: clients are few, and each sends the same header every time.
  let lastHeader: string | null = null
  let lastChoice = PLAIN

  const choose = (acceptEncoding: string): CodingChoice => {
    if (acceptEncoding !== lastHeader) {
      lastChoice = chooseCoding(acceptEncoding)
      lastHeader = acceptEncoding
    }
    return lastChoice
  }

  const compressed = (body: ReplyBody, coding: Coding): ReadableStream<Uint8Array> => {
    underWay++
    const release = answers?.hold(body)
    let isOver = false
    const onEnd = (): void => {
      if (isOver) return
      isOver = true
      underWay--
      release?.()
    }
    return streamOf(partsOf(body), { scheduler, turnBytes: TURN_BYTES, onEnd }).pipeThrough(
      new CompressionStream(coding),
    )
  }

  const heldUntilEnd = (body: ReplyBody) => {
    const release = answers?.hold(body)
    return release === undefined ? {} : { onEnd: release }
  }

  const plainResponse = (body: ReplyBody, init: CompressedInit): Response =>
    new Response(typeof body === 'string' ? body : streamOf(body, { scheduler, ...heldUntilEnd(body) }), init)

  return {
    respond: (body, request, peer, { status, headers }) => {
      const acceptEncoding = isOn ? request.headers.get('accept-encoding') : null
      if (acceptEncoding === null) return plainResponse(body, { status, headers })
      const { coding, isCodingWanted } = choose(acceptEncoding)
      const length = bodyLength(body)
      if (!isCodingWanted && length < COMPRESSED_LENGTH_MIN) return plainResponse(body, { status, headers })
      const varying = { ...headers, vary: 'accept-encoding' }
      if (
        coding === undefined ||
        underWay >= COMPRESSIONS_MAX ||
        (!isCodingWanted && length < COMPRESSED_LENGTH_MIN_HERE && isHere(request, peer))
      )
        return plainResponse(body, { status, headers: varying })
      return new Response(compressed(body, coding), {
        status,
        headers: { ...varying, 'content-encoding': coding },
      })
    },
  }
}
