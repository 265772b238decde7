import type { Socket } from 'node:net'

/**
 * Ends the parsing of what a connection has sent. node:http reads 64 KB at once and otherwise creates the objects
 * of each request in it, although the socket is destroyed: of 2,400 short ones for some 50 ms. Node does not document `parser`.
 */
const endParsing = (socket: Socket & { readonly parser?: { readonly remove?: () => void } | null }): void =>
  socket.parser?.remove?.()

export const closeNow = (socket: Socket): void => {
  endParsing(socket)
  socket.destroy()
}

/** Time for the system to take a last answer. A client that has not read earlier ones leaves no room for it. */
const LAST_ANSWER_MS = 1_000

/** Writes a last answer, and closes the connection; nothing more is read from it. */
export const closeAfter = (socket: Socket, answer: string): void => {
  endParsing(socket)
  socket.pause()
  const timer = setTimeout(() => socket.destroy(), LAST_ANSWER_MS)
  socket.once('close', () => clearTimeout(timer))
  socket.write(answer, () => socket.destroy())
}
