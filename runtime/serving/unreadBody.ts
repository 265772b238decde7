import type { IncomingMessage, ServerResponse } from 'node:http'
import { BODY_BYTES_MAX } from '../../handlers/inbound/body.ts'
import { closeNow } from './closeNow.ts'

/**
 * Bytes that are read of a body after its request was answered, such as one with a bad token: as many as a whole body may have by
 * default. A client that sends before it reads has its answer then; closed earlier, it might see the closed connection alone.
 */
const UNREAD_BYTES_MAX = BODY_BYTES_MAX

/**
 * Closes the connection of a request whose body goes on for long after the answer. node:http, and the listener around it, otherwise
 * read on for half a second, of every such request that a client sends, whatever arrives.
 */
export const limitUnreadBody = (request: IncomingMessage, response: ServerResponse): void => {
  const announced = Number(request.headers['content-length'] ?? 0)
  if (announced <= UNREAD_BYTES_MAX && request.headers['transfer-encoding'] === undefined) return
  response.once('finish', () => {
    if (request.complete) return
    let bytes = 0
    request.on('data', (chunk: Uint8Array) => {
      bytes += chunk.length
      if (bytes > UNREAD_BYTES_MAX) closeNow(request.socket)
    })
  })
}
