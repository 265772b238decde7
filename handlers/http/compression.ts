import { bodyLength, type ReplyBody } from '../rpc/dispatch/envelope.ts'
import { type Coding, type CodingChoice, chooseCoding } from './compressionChoice.ts'
import { streamOf } from './stream.ts'

/** Characters of the shortest answer that is compressed: a shorter one is sent before the first acknowledgement is waited for. */
export const COMPRESSED_LENGTH_MIN = 16 * 1024

/**
 * The same for clients on this machine, most of which ask for it unasked: there it only costs, and a block of a hundred
 * transactions is read two to ten times as often without.
 */
export const COMPRESSED_LENGTH_MIN_HERE = 128 * 1024

/** Answers that are compressed at the same time, each with a third of a megabyte of state; one more goes out as it is. */
export const COMPRESSIONS_MAX = 32

/** Compressed in one go, in a millisecond or so. */
const PART_LENGTH = 64 * 1024

/** Of one turn, so that others wait for some milliseconds and not for the whole answer. */
const TURN_BYTES = 128 * 1024

const PLAIN: CodingChoice = { coding: undefined, isCodingWanted: false }

/** Whether a client is on this machine, rather than behind a proxy that is. */
const isHere = ({ headers }: Asked, peer: () => string): boolean =>
  /^(?:::ffff:)?127\.|^::1$/.test(peer()) && !headers.has('x-forwarded-for')

const isHighSurrogate = (code: number): boolean => (code & 0xfc00) === 0xd800

/** The body in parts of nearly the same length, each made when it is due; no character is cut in two. */
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
      const cut = isHighSurrogate(piece.charCodeAt(end - 1)) ? end + 1 : end
      yield rest + piece.slice(start, cut)
      rest = ''
      start = cut
    }
    rest += piece.slice(start)
  }
  if (rest !== '') yield rest
}

/** What of a request is looked at. */
type Asked = { readonly headers: Pick<Headers, 'get' | 'has'> }

export type Compression = {
  /**
   * A response with a body that is not empty: compressed where the client asks for it and the body is long, plain where as
   * many as may be are compressed already.
   * @param peer gives the address of the other end of the connection.
   */
  respond(body: ReplyBody, request: Asked, peer: () => string, init: CompressedInit): Response
}

export type CompressedInit = { readonly status: number; readonly headers: Readonly<Record<string, string>> }

const plainResponse = (body: ReplyBody, init: CompressedInit): Response =>
  new Response(typeof body === 'string' ? body : streamOf(body), init)

/** Compresses the answers of one endpoint. */
export const createCompression = (): Compression => {
  let underWay = 0
  // Clients are few, and each says the same every time.
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
    let isOver = false
    const onEnd = (): void => {
      if (isOver) return
      isOver = true
      underWay--
    }
    return streamOf(partsOf(body), { turnBytes: TURN_BYTES, onEnd }).pipeThrough(
      new CompressionStream(coding),
    )
  }

  return {
    respond: (body, request, peer, { status, headers }) => {
      const acceptEncoding = request.headers.get('accept-encoding')
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
