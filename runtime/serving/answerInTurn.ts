import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { closeNow } from './closeNow.ts'

export type Answer = (request: IncomingMessage, response: ServerResponse) => void

/**
 * Requests that a client may send on a connection before it has the answers to earlier ones; the connection of a client
 * that sends more is closed. Ordinary clients send one.
 */
const PIPELINED_REQUESTS_MAX = 64

/**
 * Requests that wait behind others of their connections, over all connections: some ten megabytes. Beyond it, a connection is
 * closed when it sends a request before it has the answer to the one before.
 */
const PIPELINED_REQUESTS_OF_ALL_MAX = 1_024

/**
 * Answers the requests of a connection one after the other, each when the answer before it has been sent. node:http starts
 * all that a client sends at once, and would keep the answers of a client that does not read.
 */
export const answerInTurn = (answer: Answer): Answer => {
  /** The waiting requests of each connection with an answer under way. */
  const connections = new WeakMap<Socket, (() => void)[]>()
  let waitingOfAll = 0

  const end = (socket: Socket): void => {
    waitingOfAll -= connections.get(socket)?.length ?? 0
    connections.delete(socket)
  }

  const startNext = (socket: Socket): void => {
    const next = socket.destroyed ? undefined : connections.get(socket)?.shift()
    if (next === undefined) return end(socket)
    waitingOfAll--
    next()
  }

  return (request, response) => {
    const { socket } = request
    if (socket.destroyed) return closeNow(socket)
    const start = (): void => {
      response.once('close', () => startNext(socket))
      answer(request, response)
    }
    const waiting = connections.get(socket)
    if (waiting === undefined) {
      connections.set(socket, [])
      start()
    } else if (waiting.length < PIPELINED_REQUESTS_MAX && waitingOfAll < PIPELINED_REQUESTS_OF_ALL_MAX) {
      waiting.push(start)
      waitingOfAll++
    } else closeNow(socket)
  }
}
