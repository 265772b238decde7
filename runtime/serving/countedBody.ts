import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { type BodyUnits, createBodyUnits, SHORT_CHUNK_BYTES } from '../../handlers/inbound/bodyUnits.ts'
import { onNextTurn } from '../../handlers/inbound/nextTurn.ts'
import { closeAfter, closeNow } from './closeNow.ts'

/** Short chunks that are joined before they are read. */
const JOINED_CHUNKS_MAX = 4_096

const REFUSALS = {
  'too-many': 'HTTP/1.1 413 Payload Too Large\r\nconnection: close\r\ncontent-length: 0\r\n\r\n',
  busy: 'HTTP/1.1 503 Service Unavailable\r\nretry-after: 1\r\nconnection: close\r\ncontent-length: 0\r\n\r\n',
} as const

/** Answers where nothing was answered yet, and closes the connection. */
const refuse = (socket: Socket, response: ServerResponse, reason: keyof typeof REFUSALS): void => {
  if (response.headersSent) closeNow(socket)
  else closeAfter(socket, REFUSALS[reason])
}

/**
 * Counts the chunks of a body as they are parsed, and joins short ones. node:http parses all that has arrived, 64 KB at a time,
 * before anybody can refuse the rest, and passes each chunk on for some 40 µs: eleven thousand chunks of one byte would take half
 * a second.
 * @returns undefined for a body without chunks, whose pieces are as long as those of the network
 */
export const countBody = (
  request: IncomingMessage,
  response: ServerResponse,
  bytesMax: number,
): BodyUnits | undefined => {
  if (request.headers['transfer-encoding'] === undefined) return undefined
  const units = createBodyUnits(bytesMax)
  const push = request.push.bind(request)
  let held: Uint8Array[] = []
  let isDue = false
  let isRefused = false

  const flush = (): boolean => {
    isDue = false
    const [first] = held
    if (first === undefined) return true
    const joined = held.length === 1 ? first : Buffer.concat(held)
    held = []
    return push(joined)
  }
  const flushLater = (): void => {
    if (request.destroyed || flush()) return
    request.socket.pause()
  }
  const hold = (chunk: Uint8Array): boolean => {
    held.push(chunk)
    if (held.length >= JOINED_CHUNKS_MAX) return flush()
    if (!isDue) onNextTurn(flushLater)
    isDue = true
    return true
  }
  request.push = (chunk: Uint8Array | null): boolean => {
    if (chunk === null) {
      flush()
      return push(null)
    }
    if (isRefused) return false
    const taken = units.take(chunk.length)
    if (taken !== 'taken') {
      isRefused = true
      refuse(request.socket, response, taken)
      return false
    }
    if (chunk.length < SHORT_CHUNK_BYTES) return hold(chunk)
    flush()
    return push(chunk)
  }
  return units
}
